internal import Glibc

extension Rotation {
    /// Rotates, and tells of it on the streams of this process.
    func perform() -> Report {
        let begin = ContinuousClock.now
        let showsTime = StandardStream.error.isTerminal
        return rotate(
            Ports(
                tell: { text in
                    let time = showsTime ? " (\((ContinuousClock.now - begin).components.seconds) s)" : ""
                    _ = StandardStream.error.write(Array((PrintableText.escaped(text) + time + "\n").utf8))
                },
                pause: { duration in
                    let (seconds, attoseconds) = duration.components
                    // A signal that does not end the program may cut it short, which is no harm.
                    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
                    nanosleep(&time, nil)
                },
                elapsed: { ContinuousClock.now - begin }
            )
        )
    }
}
