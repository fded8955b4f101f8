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

enum answer { ANSWER_INCOMPLETE, ANSWER_GOOD, ANSWER_BAD };

uint64_t now_nanoseconds(void);

void histogram_add(struct histogram *histogram, uint64_t nanoseconds);
// The latency that this part of the requests did not exceed.
double histogram_quantile(const struct histogram *histogram, double part);

// A connected socket, or -1.
int connect_to(const struct target *target);
bool send_request(int connection, const struct target *target);
// What the bytes received so far are.
enum answer judge_answer(const struct target *target, const char *bytes, size_t size);

// Opens the connections, sends a request on each and waits for all answers; false when it could not.
bool run_burst(const struct target *target, unsigned count, double patience, struct burst *burst);

void run_load(const struct target *target, const struct plan *plan, struct outcome *outcome);

// Asks until there is a good answer; false when there was none in that time.
bool await_answer(const struct target *target, double seconds);
// Opens connections that have each been answered once, prints how many there are, and keeps them until standard input
// ends. Dripping ones beside them send their request a byte at a time, and never to its end.
bool hold_crowd(const struct target *target, unsigned idle, unsigned dripping);
