#include "load.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// Asks once on an open connection and waits for the answer.
static bool is_answered(int connection, const struct target *target)
{
    char bytes[16384];
    size_t received = 0;
    if (!send_request(connection, target))
        return false;
    while (received < sizeof bytes) {
        ssize_t count = recv(connection, bytes + received, sizeof bytes - received, 0);
        if (count <= 0)
            return false;
        received += (size_t)count;
        enum answer answer = judge_answer(target, bytes, received);
        if (answer != ANSWER_INCOMPLETE)
            return answer == ANSWER_GOOD;
    }
    return false;
}

bool await_answer(const struct target *target, double seconds)
{
    uint64_t end = now_nanoseconds() + (uint64_t)(seconds * 1e9);
    do {
        int connection = connect_to(target);
        bool is_good = connection >= 0 && is_answered(connection, target);
        if (connection >= 0)
            close(connection);
        if (is_good)
            return true;
        usleep(500);
    } while (now_nanoseconds() < end);
    return false;
}

// The turns of a dripping connection: one byte each, far from a whole request.
static void drip(const struct target *target, int *connections, unsigned count, unsigned turn)
{
    for (unsigned index = 0; index < count; index++) {
        char byte = turn < target->request_size - 2 ? target->request[turn] : 'x';
        if (connections[index] >= 0 && send(connections[index], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
            continue;
        // It was cut off, as it should be; it comes again.
        if (connections[index] >= 0)
            close(connections[index]);
        connections[index] = connect_to(target);
    }
}

bool hold_crowd(const struct target *target, unsigned idle, unsigned dripping)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    for (unsigned index = 0; index < idle; index++) {
        int connection = connect_to(target);
        if (connection < 0 || !is_answered(connection, target)) {
            perror("load: idle connections");
            return false;
        }
    }
    int *slow = calloc(dripping + 1, sizeof *slow);
    if (slow == NULL)
        return false;
    for (unsigned index = 0; index < dripping; index++)
        slow[index] = -1;
    printf("%u\n", idle);
    fflush(stdout);
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    for (unsigned turn = 0; poll(&input, 1, dripping > 0 ? 100 : -1) == 0; turn++)
        drip(target, slow, dripping, turn);
    free(slow);
    return true;
}
