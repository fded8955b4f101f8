#ifndef TEST_CLOCK_H
#define TEST_CLOCK_H

#include <stdint.h>

// The file that TEST_CLOCK names: the tests write the first two and then `revision`; `applied` follows it once the
// program's clocks are set so and its timers have been told.
struct test_clock {
    // By how much CLOCK_BOOTTIME is ahead of the host's: the time that the program's host "was suspended". It only grows.
    int64_t boot_nanoseconds;
    // The same for CLOCK_REALTIME, suspended time included.
    int64_t wall_nanoseconds;
    int64_t revision;
    int64_t applied;
};

#endif
