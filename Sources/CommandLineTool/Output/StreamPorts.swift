internal import Glibc

/// What a command that goes on and on does to the world; tests put their own in.
struct StreamPorts {
    /// Writes to standard output.
    ///
    /// - Returns: the `errno` that stopped it, or nil.
    let write: ([UInt8]) -> Int32?
    /// Tells people something on standard error.
    let note: (String) -> Void
    let pause: (Duration) -> Void
    /// Whether whoever read the output has gone away.
    let isReaderGone: () -> Bool
}

extension StreamPorts {
    /// The streams of this process.
    static func ofProcess() -> StreamPorts {
        // A reader that has gone away is an error of the write, and ends this quietly.
        signal(SIGPIPE, SIG_IGN)
        return StreamPorts(
            write: StandardStream.output.write,
            note: { note in
                let line = "\(Installation.program): \(PrintableText.escaped(note))\n"
                _ = StandardStream.error.write(Array(line.utf8))
            },
            pause: { duration in
                let (seconds, attoseconds) = duration.components
                // A signal that does not end the program may cut it short, which is no harm.
                var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
                nanosleep(&time, nil)
            },
            isReaderGone: { StandardStream.output.isReaderGone }
        )
    }
}
