#pragma once

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

// Refuses the macros that add the source position to each entry: they would need our C file's name, not Swift's.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

// prctl() is variadic, which Swift cannot call; one function for each use, so that the number and the width of the
// arguments are right by construction.

/// 0, or -1 with errno: no core dump of this process, and nobody but root may trace it or read its memory.
static inline int tokenbroker_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}

/// Not 0 while the process may be dumped or traced by its own user.
static inline int tokenbroker_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L);
}

/// 0, or -1 with errno: no exec by this process ever gains privileges.
static inline int tokenbroker_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
}

/// 0, or -1 with errno: closes every descriptor from first on. The Glibc module does not show close_range(), and older
/// libraries do not have it, so the kernel is asked directly.
static inline int tokenbroker_close_from(unsigned int first) {
    return (int)syscall(SYS_close_range, first, ~0U, 0U);
}

/// The process's environment. Swift takes the variable itself for shared mutable state and refuses it.
static inline char *_Nullable *_Nullable tokenbroker_environment(void) {
    extern char *_Nullable *_Nullable environ;
    return environ;
}
