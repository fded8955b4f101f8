internal import Glibc

extension Watch {
    /// Follows the token on the streams of this process.
    func perform() -> Report {
        // A reader that has gone away is an error of the write, and ends this quietly.
        signal(SIGPIPE, SIG_IGN)
        return follow(
            Ports(
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
        )
    }
}
