#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: load -s SOCKET (-p PATH [-x] | -k KEY) [-c N] [-n] [-r RATE] [-w SECONDS] [-t SECONDS] [-P PID]\n"
    "       load -s SOCKET (-p PATH | -k KEY) -A SECONDS | -B N | -I N [-D N]\n"
    "       load -s SOCKET -p PATH [-x] -r RATE -U [-R]\n"
    "  -p PATH     GET this path over HTTP/1.1; -x says Connection: close\n"
    "  -k KEY      GET this key of Redis\n"
    "  -c N        connections (1)\n"
    "  -n          a new connection for each request\n"
    "  -r RATE     requests a second (default: as many as are answered)\n"
    "  -w, -t      warm-up (0.1) and duration (1) in seconds\n"
    "  -P PID      the server, whose processor time is counted\n"
    "  -A SECONDS  wait until there is an answer, and end\n"
    "  -B N        open N connections, ask once on each, all at once, and wait for the answers\n"
    "  -I N        open N connections, use each once, print N, keep them until standard input ends\n"
    "  -D N        beside them N connections that send a byte each 100 ms\n"
    "  -U          a new connection for each request, without waiting for room in the queue, until SIGTERM\n"
    "  -R          ask again what is cut off\n"
    "Prints: server µs a request, requests a second, p50 and p99 in µs, errors.\n"
    "With -B: answers, errors, milliseconds from the first request to the last answer.\n"
    "With -U: what became of the requests; the exit status is 0 where all of them were answered.\n";

// How long a burst may take, and the last answer to what arrived.
static const double patience_seconds = 30;

static char request[512];

static void make_request(struct target *target, const char *path, const char *key, bool says_close)
{
    int size = 0;
    if (key != NULL)
        size = snprintf(request, sizeof request, "*2\r\n$3\r\nGET\r\n$%zu\r\n%s\r\n", strlen(key), key);
    else if (path != NULL)
        size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: load\r\n%s\r\n", path,
                        says_close ? "Connection: close\r\n" : "");
    target->is_redis = key != NULL;
    target->request = request;
    target->request_size = (size_t)size;
}

static void print(const struct outcome *outcome)
{
    double answers = outcome->answers > 0 ? (double)outcome->answers : 1;
    printf("%.3f %.0f %.2f %.2f %llu\n", outcome->server_seconds * 1e6 / answers,
           (double)outcome->answers / outcome->seconds, histogram_quantile(&outcome->latencies, 0.5) / 1e3,
           histogram_quantile(&outcome->latencies, 0.99) / 1e3, (unsigned long long)outcome->errors);
}

static int print_burst(const struct target *target, unsigned count)
{
    struct burst burst = {0};
    if (!run_burst(target, count, patience_seconds, &burst))
        return 1;
    printf("%u %u %.1f\n", burst.answers, burst.errors, burst.seconds * 1e3);
    return 0;
}

static int print_arrivals(const struct target *target, double rate, bool asks_again)
{
    struct arrivals arrivals = {0};
    run_arrivals(target, rate, asks_again, patience_seconds, &arrivals);
    printf("%lu requests, %.0f a second: %lu answered, %lu refused, %lu cut off, %lu denied, %lu asked again\n",
           arrivals.requests, (double)arrivals.requests / arrivals.seconds, arrivals.answers, arrivals.refused,
           arrivals.cut, arrivals.denied, arrivals.repeated);
    return arrivals.answers > 0 && arrivals.answers == arrivals.requests ? 0 : 1;
}

int main(int count, char **arguments)
{
    struct target target = {0};
    struct plan plan = {.connections = 1, .warm_up_seconds = 0.1, .seconds = 1};
    const char *path = NULL, *key = NULL;
    bool says_close = false, is_until_ended = false, asks_again = false;
    double patience = 0;
    unsigned burst = 0, idle = 0, dripping = 0;
    int option;
    while ((option = getopt(count, arguments, "s:p:xk:c:nr:w:t:P:A:B:I:D:UR")) != -1) {
        switch (option) {
        case 's': target.path = optarg; break;
        case 'p': path = optarg; break;
        case 'x': says_close = true; break;
        case 'k': key = optarg; break;
        case 'c': plan.connections = (unsigned)atoi(optarg); break;
        case 'n': plan.is_new_each_time = true; break;
        case 'r': plan.rate = atof(optarg); break;
        case 'w': plan.warm_up_seconds = atof(optarg); break;
        case 't': plan.seconds = atof(optarg); break;
        case 'P': plan.server = atoi(optarg); break;
        case 'A': patience = atof(optarg); break;
        case 'B': burst = (unsigned)atoi(optarg); break;
        case 'I': idle = (unsigned)atoi(optarg); break;
        case 'D': dripping = (unsigned)atoi(optarg); break;
        case 'U': is_until_ended = true; break;
        case 'R': asks_again = true; break;
        default: fputs(usage, stderr); return 64;
        }
    }
    make_request(&target, path, key, says_close);
    if (target.path == NULL || target.request_size == 0 || target.request_size >= sizeof request
        || plan.connections == 0 || (is_until_ended && plan.rate <= 0)) {
        fputs(usage, stderr);
        return 64;
    }
    if (patience > 0)
        return await_answer(&target, patience) ? 0 : 1;
    if (burst > 0)
        return print_burst(&target, burst);
    if (idle > 0)
        return hold_crowd(&target, idle, dripping) ? 0 : 1;
    if (is_until_ended)
        return print_arrivals(&target, plan.rate, asks_again);
    struct outcome outcome = {0};
    run_load(&target, &plan, &outcome);
    print(&outcome);
    return outcome.answers > 0 ? 0 : 1;
}
