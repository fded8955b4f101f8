#include "load.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// Room for one answer; nobody's is near it.
enum { ANSWER_ROOM = 4096 };
// More than a server that is away for half a minute leaves unanswered at the highest rate that is asked for.
enum { MOST_OPEN = 65536 };

// So late is nothing begun any more: after a pause of this program it would be a burst that nobody asked for.
static const uint64_t latest_nanoseconds = 100000000;

struct caller {
    size_t received;
    char bytes[ANSWER_ROOM];
};

struct crowd {
    const struct target *target;
    bool asks_again;
    struct arrivals *arrivals;
    int epoll;
    // By descriptor.
    struct caller **callers;
    unsigned open;
};

static volatile sig_atomic_t is_ended;

static void end(int number)
{
    (void)number;
    is_ended = 1;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void ask(struct crowd *crowd)
{
    int descriptor = connect_at_once(crowd->target);
    if (descriptor < 0) {
        crowd->arrivals->refused++;
        return;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    crowd->callers[descriptor] = calloc(1, sizeof(struct caller));
    if (crowd->callers[descriptor] == NULL || epoll_ctl(crowd->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        fail("load: arrivals");
    crowd->open++;
    // Where it fails the connection has ended, which is seen there.
    send_request(descriptor, crowd->target);
}

static void hang_up(struct crowd *crowd, int descriptor)
{
    free(crowd->callers[descriptor]);
    crowd->callers[descriptor] = NULL;
    close(descriptor);
    crowd->open--;
}

static void receive(struct crowd *crowd, int descriptor)
{
    struct caller *caller = crowd->callers[descriptor];
    ssize_t count = recv(descriptor, caller->bytes + caller->received, ANSWER_ROOM - caller->received, 0);
    bool is_cut = count <= 0;
    enum answer answer = ANSWER_BAD;
    if (!is_cut) {
        caller->received += (size_t)count;
        answer = judge_answer(crowd->target, caller->bytes, caller->received);
    }
    if (answer == ANSWER_INCOMPLETE)
        return;
    hang_up(crowd, descriptor);
    if (answer == ANSWER_GOOD) {
        crowd->arrivals->answers++;
    } else if (!is_cut) {
        crowd->arrivals->denied++;
    } else if (crowd->asks_again) {
        crowd->arrivals->repeated++;
        ask(crowd);
    } else {
        crowd->arrivals->cut++;
    }
}

static void wait_for_answers(struct crowd *crowd, int milliseconds)
{
    struct epoll_event events[256];
    int count = epoll_wait(crowd->epoll, events, 256, milliseconds);
    for (int index = 0; index < count; index++)
        receive(crowd, events[index].data.fd);
}

static void prepare(struct crowd *crowd)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        fail("load: getrlimit");
    if (limit.rlim_max > MOST_OPEN)
        limit.rlim_max = MOST_OPEN;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    crowd->epoll = epoll_create1(EPOLL_CLOEXEC);
    crowd->callers = calloc(limit.rlim_max, sizeof *crowd->callers);
    if (crowd->epoll < 0 || crowd->callers == NULL)
        fail("load: arrivals");
    signal(SIGTERM, end);
}

void run_arrivals(const struct target *target, double rate, bool asks_again, double patience, struct arrivals *arrivals)
{
    struct crowd crowd = {.target = target, .asks_again = asks_again, .arrivals = arrivals};
    prepare(&crowd);
    uint64_t interval = (uint64_t)(1e9 / rate);
    uint64_t began = now_nanoseconds(), due = began;
    while (!is_ended) {
        uint64_t now = now_nanoseconds();
        if (now > due + latest_nanoseconds)
            due = now;
        for (; due <= now; due += interval) {
            arrivals->requests++;
            ask(&crowd);
        }
        wait_for_answers(&crowd, 1);
    }
    uint64_t ended = now_nanoseconds();
    arrivals->seconds = (double)(ended - began) / 1e9;
    while (crowd.open > 0 && now_nanoseconds() < ended + (uint64_t)(patience * 1e9))
        wait_for_answers(&crowd, 100);
    free(crowd.callers);
    close(crowd.epoll);
}
