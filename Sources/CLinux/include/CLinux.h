#pragma once

// What the Glibc module hides from Swift. Every function keeps the system call's own convention (-1 and errno), and
// every descriptor made here is born close-on-exec.

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

#pragma clang assume_nonnull begin

// epoll: the whole header is missing from the Glibc module; the union in epoll_event is set and read here.
int linux_epoll_create(void);
int linux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t key);
int linux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t key);
int linux_epoll_remove(int epoll, int descriptor);
int linux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout_milliseconds);

// eventfd: the header is missing from the Glibc module. Nonblocking, counter at zero.
int linux_eventfd(void);

// timerfd: the header is missing from the Glibc module. Nonblocking, on CLOCK_BOOTTIME, which counts suspended time.
int linux_boot_timer(void);
// Fires once after that many nanoseconds; at least 1, because 0 would disarm.
int linux_boot_timer_arm(int timer, int64_t nanoseconds);

// timerfd on CLOCK_REALTIME whose read fails with ECANCELED once the wall clock has been set.
int linux_wall_clock_step_timer(void);
int linux_wall_clock_step_timer_arm(int timer);

// signalfd: the header is missing from the Glibc module. Blocks the signals in the calling thread (and all it starts
// later) first, because an unblocked signal is delivered the old way and never reaches the descriptor.
int linux_signal_descriptor(const int *signals, size_t count);
// The next signal's number, or -1 (EAGAIN when there is none): signalfd_siginfo is hidden with the header.
int linux_next_signal(int descriptor);

// accept4 is a GNU extension the module does not see. Nonblocking from birth.
int linux_accept(int listener);

// ucred is a GNU extension the module does not see: the peer as it was when it called connect().
int linux_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid);
// SO_PEERGROUPS is a macro of the kernel's headers. `count` is the room in, the number of groups out (also on ERANGE).
int linux_peer_groups(int socket, uint32_t *_Nullable groups, size_t *count);
// SO_PEERPIDFD (Linux 6.5) is not in Debian 12's headers. Close-on-exec is the kernel's own choice here.
int linux_peer_pidfd(int socket);

// pidfd_open: the header is missing from the Glibc module. Close-on-exec is the kernel's own choice here.
int linux_pidfd_open(int32_t pid);

// close_range is a GNU extension the module does not see.
int linux_close_range(unsigned first, unsigned last);

// prctl is variadic, which Swift cannot call.
int linux_prctl(int option, unsigned long two, unsigned long three, unsigned long four, unsigned long five);

// pthread_setname_np is a GNU extension the module does not see. Names the calling thread; 15 bytes are kept.
void linux_name_thread(const char *name);

// strerror shares one buffer between threads and strerrordesc_np is a GNU extension the module does not see.
const char *linux_error_text(int number);

#pragma clang assume_nonnull end
