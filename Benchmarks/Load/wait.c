#include "load.h"

#include <stdio.h>
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

bool hold_idle(const struct target *target, unsigned connections)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    for (unsigned index = 0; index < connections; index++) {
        int connection = connect_to(target);
        if (connection < 0 || !is_answered(connection, target)) {
            perror("load: idle connections");
            return false;
        }
    }
    printf("%u\n", connections);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return true;
}
