#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// The kernel's numbers, for headers that are older than the kernel the program meets.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t key)
{
    struct epoll_event event = {.events = events, .data.u64 = key};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int linux_epoll_create(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

int linux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t key)
{
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, key);
}

int linux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t key)
{
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, key);
}

int linux_epoll_remove(int epoll, int descriptor)
{
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int linux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout_milliseconds)
{
    return epoll_wait(epoll, events, capacity, timeout_milliseconds);
}

int linux_eventfd(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int linux_boot_timer(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int linux_boot_timer_arm(int timer, int64_t nanoseconds)
{
    if (nanoseconds < 1)
        nanoseconds = 1;
    struct itimerspec when = {
        .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000},
    };
    return timerfd_settime(timer, 0, &when, NULL);
}

int linux_wall_clock_step_timer(void)
{
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int linux_wall_clock_step_timer_arm(int timer)
{
    // The furthest instant there is: this timer is here to be cancelled, never to expire.
    struct itimerspec when = {.it_value = {.tv_sec = LONG_MAX}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL);
}

int linux_signal_descriptor(const int *signals, size_t count)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t index = 0; index < count; index++)
        sigaddset(&set, signals[index]);
    int failure = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (failure != 0) {
        errno = failure;
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int linux_next_signal(int descriptor)
{
    struct signalfd_siginfo signal;
    ssize_t size = read(descriptor, &signal, sizeof signal);
    if (size == (ssize_t)sizeof signal)
        return (int)signal.ssi_signo;
    if (size >= 0)
        errno = EIO;
    return -1;
}

int linux_accept(int listener)
{
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int linux_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int linux_peer_groups(int socket, uint32_t *groups, size_t *count)
{
    socklen_t size = (socklen_t)(*count * sizeof *groups);
    int result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
    *count = size / sizeof *groups;
    return result;
}

int linux_peer_pidfd(int socket)
{
    int descriptor = -1;
    socklen_t size = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) != 0)
        return -1;
    return descriptor;
}

int linux_pidfd_open(int32_t pid)
{
    return pidfd_open(pid, 0);
}

int linux_close_range(unsigned first, unsigned last)
{
    return close_range(first, last, 0);
}

int linux_prctl(int option, unsigned long two, unsigned long three, unsigned long four, unsigned long five)
{
    return prctl(option, two, three, four, five);
}

void linux_name_thread(const char *name)
{
    char kept[16] = {0};
    strncpy(kept, name, sizeof kept - 1);
    pthread_setname_np(pthread_self(), kept);
}

const char *linux_error_text(int number)
{
    const char *text = strerrordesc_np(number);
    return text ? text : "Unknown error";
}
