#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// Room for one answer; nobody's is near it.
enum { ANSWER_ROOM = 4096 };

struct caller {
    int descriptor;
    size_t received;
    char bytes[ANSWER_ROOM];
};

static bool connect_all(const struct target *target, struct caller *callers, unsigned count, int epoll)
{
    for (unsigned index = 0; index < count; index++) {
        callers[index].descriptor = connect_to(target);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &callers[index]};
        if (callers[index].descriptor < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, callers[index].descriptor, &event) != 0) {
            perror("load: a burst");
            return false;
        }
    }
    return true;
}

static enum answer receive(const struct target *target, struct caller *caller)
{
    ssize_t count = recv(caller->descriptor, caller->bytes + caller->received, ANSWER_ROOM - caller->received,
                         MSG_DONTWAIT);
    if (count <= 0)
        return ANSWER_BAD;
    caller->received += (size_t)count;
    return judge_answer(target, caller->bytes, caller->received);
}

bool run_burst(const struct target *target, unsigned count, double patience, struct burst *burst)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct caller *callers = calloc(count, sizeof *callers);
    if (epoll < 0 || callers == NULL || !connect_all(target, callers, count, epoll))
        return false;
    uint64_t began = now_nanoseconds();
    uint64_t end = began + (uint64_t)(patience * 1e9);
    unsigned waiting = count;
    for (unsigned index = 0; index < count; index++) {
        if (!send_request(callers[index].descriptor, target))
            return false;
    }
    while (waiting > 0 && now_nanoseconds() < end) {
        struct epoll_event events[256];
        int ready = epoll_wait(epoll, events, 256, 100);
        for (int index = 0; index < ready; index++) {
            struct caller *caller = events[index].data.ptr;
            enum answer answer = receive(target, caller);
            if (answer == ANSWER_INCOMPLETE)
                continue;
            close(caller->descriptor);
            waiting--;
            if (answer == ANSWER_GOOD)
                burst->answers++;
        }
    }
    burst->seconds = (double)(now_nanoseconds() - began) / 1e9;
    burst->errors = count - burst->answers;
    free(callers);
    close(epoll);
    return true;
}
