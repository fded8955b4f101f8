#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

uint64_t now_nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int connect_with(const struct target *target, int flags)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, target->path, sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (connection < 0)
        return -1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0)
        return connection;
    int failure = errno;
    close(connection);
    errno = failure;
    return -1;
}

int connect_to(const struct target *target)
{
    return connect_with(target, 0);
}

int connect_at_once(const struct target *target)
{
    return connect_with(target, SOCK_NONBLOCK);
}

bool send_request(int connection, const struct target *target)
{
    return send(connection, target->request, target->request_size, MSG_NOSIGNAL) == (ssize_t)target->request_size;
}

// "$LENGTH CRLF VALUE CRLF"; "$-1" is a value that is not there.
static enum answer judge_redis(const char *bytes, size_t size)
{
    const char *line_end = memchr(bytes, '\n', size);
    if (line_end == NULL)
        return ANSWER_INCOMPLETE;
    long length = bytes[0] == '$' ? strtol(bytes + 1, NULL, 10) : -1;
    if (length < 0)
        return ANSWER_BAD;
    return size >= (size_t)(line_end + 1 - bytes) + (size_t)length + 2 ? ANSWER_GOOD : ANSWER_INCOMPLETE;
}

static enum answer judge_http(const char *bytes, size_t size)
{
    static const char field[] = "Content-Length: ";
    const char *head_end = memmem(bytes, size, "\r\n\r\n", 4);
    if (head_end == NULL)
        return ANSWER_INCOMPLETE;
    const char *length = memmem(bytes, (size_t)(head_end - bytes), field, sizeof field - 1);
    if (length == NULL || memcmp(bytes, "HTTP/1.1 200", 12) != 0)
        return ANSWER_BAD;
    size_t whole = (size_t)(head_end + 4 - bytes) + strtoul(length + sizeof field - 1, NULL, 10);
    return size >= whole ? ANSWER_GOOD : ANSWER_INCOMPLETE;
}

enum answer judge_answer(const struct target *target, const char *bytes, size_t size)
{
    return target->is_redis ? judge_redis(bytes, size) : judge_http(bytes, size);
}
