internal import Glibc

/// What the system says about a call that failed.
enum SystemError {
    /// The system's words for an error number: `No such file or directory`.
    static func text(_ number: Int32) -> String {
        String(cString: strerror(number))
    }

    /// Makes a system call again for as long as a signal interrupts it.
    ///
    /// - Returns: what the call returned, and `errno` as it was right after it.
    static func retryingInterrupts(_ call: () -> Int) -> (result: Int, error: Int32) {
        while true {
            let result = call()
            let error = errno
            if result >= 0 || error != EINTR { return (result, error) }
        }
    }
}
