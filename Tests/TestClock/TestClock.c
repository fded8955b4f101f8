// Gives one program clocks that tests can set: preloaded into it, this library stands between it and the kernel.
//
// It does what the kernel does when a host was suspended or its calendar clock is set: both clocks jump, timers on
// CLOCK_BOOTTIME that are due by then fire at once, and a timer armed with TFD_TIMER_CANCEL_ON_SET reports ECANCELED.
// The host's own clock is not touched, and CLOCK_MONOTONIC goes on as it does across a suspend, unless TEST_CLOCK_AWAKE
// says that the time passes while the host is awake and nothing happens.

#define _GNU_SOURCE
#include "TestClock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// As many as a program of these tests can have open.
#define DESCRIPTORS 65536
#define SECOND INT64_C(1000000000)

static struct test_clock *control;
static _Atomic int64_t boot_offset, wall_offset;
static bool is_awake;
// Guards the descriptors' kinds, and that no timer is armed while the clocks are being set.
static pthread_mutex_t timers = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned char kinds[DESCRIPTORS];
enum { OTHER, BOOT_TIMER, WALL_TIMER, STEP_TIMER, CANCELED_TIMER };

#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static int64_t nanoseconds(struct timespec time) {
    return time.tv_sec * SECOND + time.tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds) {
    return (struct timespec){.tv_sec = nanoseconds / SECOND, .tv_nsec = nanoseconds % SECOND};
}

static bool is_kind(int descriptor, unsigned char kind) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && kinds[descriptor] == kind;
}

// MARK: What the program calls

int clock_gettime(clockid_t clock, struct timespec *time) {
    static __typeof__(&clock_gettime) real;
    if (!real) real = REAL(clock_gettime);
    int result = real(clock, time);
    bool is_uptime = is_awake && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW);
    if (result == 0 && (clock == CLOCK_BOOTTIME || is_uptime)) *time = timespec_of(nanoseconds(*time) + boot_offset);
    if (result == 0 && clock == CLOCK_REALTIME) *time = timespec_of(nanoseconds(*time) + wall_offset);
    return result;
}

int timerfd_create(clockid_t clock, int flags) {
    int descriptor = REAL(timerfd_create)(clock, flags);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        kinds[descriptor] = clock == CLOCK_BOOTTIME ? BOOT_TIMER : clock == CLOCK_REALTIME ? WALL_TIMER : OTHER;
    }
    return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
    struct itimerspec when = *new;
    pthread_mutex_lock(&timers);
    if (flags & TFD_TIMER_CANCEL_ON_SET && descriptor < DESCRIPTORS) kinds[descriptor] = STEP_TIMER;
    bool is_absolute = flags & TFD_TIMER_ABSTIME && nanoseconds(when.it_value) != 0;
    int64_t offset = is_kind(descriptor, BOOT_TIMER) ? boot_offset : is_kind(descriptor, WALL_TIMER) ? wall_offset : 0;
    if (is_absolute && offset != 0) {
        int64_t instant = nanoseconds(when.it_value) - offset;
        when.it_value = timespec_of(instant > 0 ? instant : 1);
    }
    int result = REAL(timerfd_settime)(descriptor, flags, &when, old);
    pthread_mutex_unlock(&timers);
    return result;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    static __typeof__(&read) real;
    if (!real) real = REAL(read);
    ssize_t result = real(descriptor, bytes, count);
    if (!is_kind(descriptor, CANCELED_TIMER)) return result;
    kinds[descriptor] = STEP_TIMER;
    errno = ECANCELED;
    return -1;
}

// The kernel gives a closed timer's number to the next file.
int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) kinds[descriptor] = OTHER;
    return REAL(close)(descriptor);
}

// MARK: What the tests set

static void fire_within(int descriptor, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = timespec_of(nanoseconds > 0 ? nanoseconds : 1)};
    REAL(timerfd_settime)(descriptor, 0, &when, NULL);
}

static void set_clocks(int64_t boot, int64_t wall) {
    pthread_mutex_lock(&timers);
    int64_t slept = boot - boot_offset;
    boot_offset = boot;
    wall_offset = wall;
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        struct itimerspec left;
        if (kinds[descriptor] == STEP_TIMER) {
            kinds[descriptor] = CANCELED_TIMER;
            fire_within(descriptor, 1);
        } else if (kinds[descriptor] == BOOT_TIMER && timerfd_gettime(descriptor, &left) == 0
                   && nanoseconds(left.it_value) != 0) {
            fire_within(descriptor, nanoseconds(left.it_value) - slept);
        }
    }
    pthread_mutex_unlock(&timers);
}

static void *follow(void *unused) {
    while (true) {
        int64_t revision = __atomic_load_n(&control->revision, __ATOMIC_ACQUIRE);
        if (revision != control->applied) {
            set_clocks(control->boot_nanoseconds, control->wall_nanoseconds);
            __atomic_store_n(&control->applied, revision, __ATOMIC_RELEASE);
        }
        usleep(1000);
    }
    return unused;
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("TEST_CLOCK");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) abort();
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REAL(close)(file);
    if (control == MAP_FAILED) abort();
    is_awake = getenv("TEST_CLOCK_AWAKE") != NULL;
    set_clocks(control->boot_nanoseconds, control->wall_nanoseconds);
    // The program's signals are its own threads'.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, follow, NULL) != 0) abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
