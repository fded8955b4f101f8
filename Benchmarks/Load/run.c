#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Room for one answer; nobody's is near it.
enum { ANSWER_ROOM = 16384 };

struct connection {
    int descriptor;
    uint64_t began;
    size_t received;
    struct connection *next_free;
    char bytes[ANSWER_ROOM];
};

struct run {
    const struct target *target;
    const struct plan *plan;
    struct outcome *outcome;
    int epoll;
    struct connection *connections;
    // Those that wait for the next request to be due.
    struct connection *free;
    uint64_t start;
    uint64_t requests;
};

// All threads of the process together.
static double processor_seconds(pid_t process)
{
    clockid_t clock;
    struct timespec time;
    if (process == 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void hang_up(struct connection *connection)
{
    close(connection->descriptor);
    connection->descriptor = -1;
}

static bool hang_on(struct run *run, struct connection *connection)
{
    connection->descriptor = connect_to(run->target);
    if (connection->descriptor < 0)
        return false;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    return epoll_ctl(run->epoll, EPOLL_CTL_ADD, connection->descriptor, &event) == 0;
}

static void ask(struct run *run, struct connection *connection, uint64_t began)
{
    connection->began = began;
    connection->received = 0;
    bool is_connected = connection->descriptor >= 0 || hang_on(run, connection);
    if (!is_connected || !send_request(connection->descriptor, run->target)) {
        perror("load: the server does not answer any more");
        exit(1);
    }
}

static void answered(struct run *run, struct connection *connection, enum answer answer)
{
    uint64_t now = now_nanoseconds();
    if (answer == ANSWER_GOOD) {
        run->outcome->answers++;
        histogram_add(&run->outcome->latencies, now - connection->began);
    } else {
        run->outcome->errors++;
    }
    if (run->plan->is_new_each_time || answer == ANSWER_BAD)
        hang_up(connection);
    if (run->plan->rate == 0)
        return ask(run, connection, run->plan->is_new_each_time ? now_nanoseconds() : now);
    connection->next_free = run->free;
    run->free = connection;
}

static void receive(struct run *run, struct connection *connection)
{
    ssize_t count = recv(connection->descriptor, connection->bytes + connection->received,
                         ANSWER_ROOM - connection->received, MSG_DONTWAIT);
    enum answer answer = ANSWER_BAD;
    if (count > 0) {
        connection->received += (size_t)count;
        answer = judge_answer(run->target, connection->bytes, connection->received);
    }
    if (answer != ANSWER_INCOMPLETE)
        answered(run, connection, answer);
}

// Starts what is due. A request that finds no free connection waits, and its wait counts.
static void ask_what_is_due(struct run *run)
{
    double interval = 1e9 / run->plan->rate;
    while (run->free != NULL) {
        uint64_t due = run->start + (uint64_t)((double)run->requests * interval);
        if (due > now_nanoseconds())
            return;
        struct connection *connection = run->free;
        run->free = connection->next_free;
        run->requests++;
        ask(run, connection, due);
    }
}

static void turn(struct run *run)
{
    struct epoll_event events[256];
    bool is_paced = run->plan->rate > 0;
    if (is_paced)
        ask_what_is_due(run);
    // With a rate to keep it never sleeps: a timer would be late by more than what is measured.
    int count = epoll_wait(run->epoll, events, 256, is_paced ? 0 : 100);
    for (int index = 0; index < count; index++)
        receive(run, events[index].data.ptr);
}

static void run_for(struct run *run, double seconds)
{
    uint64_t end = now_nanoseconds() + (uint64_t)(seconds * 1e9);
    while (now_nanoseconds() < end)
        turn(run);
}

void run_load(const struct target *target, const struct plan *plan, struct outcome *outcome)
{
    struct run run = {.target = target, .plan = plan, .outcome = outcome, .epoll = epoll_create1(EPOLL_CLOEXEC)};
    run.connections = calloc(plan->connections, sizeof *run.connections);
    if (run.connections == NULL || run.epoll < 0) {
        perror("load");
        exit(1);
    }
    run.start = now_nanoseconds();
    for (unsigned index = 0; index < plan->connections; index++) {
        struct connection *connection = &run.connections[index];
        connection->descriptor = -1;
        if (plan->rate == 0) {
            ask(&run, connection, now_nanoseconds());
        } else {
            connection->next_free = run.free;
            run.free = connection;
        }
    }
    run_for(&run, plan->warm_up_seconds);
    *outcome = (struct outcome){0};
    uint64_t began = now_nanoseconds();
    double server_began = processor_seconds(plan->server);
    run_for(&run, plan->seconds);
    outcome->server_seconds = processor_seconds(plan->server) - server_began;
    outcome->seconds = (double)(now_nanoseconds() - began) / 1e9;
    for (unsigned index = 0; index < plan->connections; index++) {
        if (run.connections[index].descriptor >= 0)
            close(run.connections[index].descriptor);
    }
    free(run.connections);
    close(run.epoll);
}
