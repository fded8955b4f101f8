// A load generator that asks an HTTP/1.1 server or Redis for one thing over a Unix socket, at the same cost for each.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What is asked, of whom.
struct target {
    const char *path;
    bool is_redis;
    const char *request;
    size_t request_size;
};

// How it is asked.
struct plan {
    unsigned connections;
    // Every request on a connection of its own, which the client closes when it has the answer.
    bool is_new_each_time;
    // Requests a second, whatever the server does; 0: every connection asks again as soon as it is answered.
    double rate;
    double warm_up_seconds;
    double seconds;
    // Whose processor time is counted; 0: nobody's.
    pid_t server;
};

// Latencies in buckets of 1/64 of their own size.
struct histogram {
    uint64_t counts[64 * 64];
    uint64_t total;
};

struct outcome {
    uint64_t answers;
    uint64_t errors;
    double seconds;
    double server_seconds;
    struct histogram latencies;
};

// What became of requests that were all sent at once.
struct burst {
    unsigned answers;
    // Refused, cut off, or not answered in time.
    unsigned errors;
    // From the first request to the last answer.
    double seconds;
};

// What became of requests that came at their own pace.
struct arrivals {
    unsigned long requests;
    unsigned long answers;
    // Not connected: nobody listened, or the queue was full.
    unsigned long refused;
    // The connection ended before the answer did.
    unsigned long cut;
    // Answered with something else.
    unsigned long denied;
    unsigned long repeated;
    double seconds;
};

enum answer { ANSWER_INCOMPLETE, ANSWER_GOOD, ANSWER_BAD };

uint64_t now_nanoseconds(void);

void histogram_add(struct histogram *histogram, uint64_t nanoseconds);
// The latency that this part of the requests did not exceed.
double histogram_quantile(const struct histogram *histogram, double part);

// A connected socket, or -1.
int connect_to(const struct target *target);
// The same without waiting for room in the server's queue: -1, EAGAIN where there is none.
int connect_at_once(const struct target *target);
bool send_request(int connection, const struct target *target);
// What the bytes received so far are.
enum answer judge_answer(const struct target *target, const char *bytes, size_t size);

// Opens the connections, sends a request on each and waits for all answers; false when it could not.
bool run_burst(const struct target *target, unsigned count, double patience, struct burst *burst);

// Asks at this rate, each time on a connection of its own, whatever became of the others, until SIGTERM; then waits as
// long as this for what is still open. A request that was cut off is asked again where clients would do that.
void run_arrivals(const struct target *target, double rate, bool asks_again, double patience, struct arrivals *arrivals);

void run_load(const struct target *target, const struct plan *plan, struct outcome *outcome);

// Asks until there is a good answer; false when there was none in that time.
bool await_answer(const struct target *target, double seconds);
// Opens connections that have each been answered once, prints how many there are, and keeps them until standard input
// ends. Dripping ones beside them send their request a byte at a time, and never to its end.
bool hold_crowd(const struct target *target, unsigned idle, unsigned dripping);
