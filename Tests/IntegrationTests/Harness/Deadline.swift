import Glibc

/// An instant by which something must have happened. Nothing here waits without one: a test that would hang fails.
struct Deadline {
    /// Far more than anything takes on a busy machine.
    static let usual: Duration = .seconds(60)

    private let instant: ContinuousClock.Instant

    init(_ patience: Duration = usual) {
        instant = .now + patience
    }

    var hasPassed: Bool { instant <= .now }

    /// What is left, for `poll`; rounded up, so that a wait never ends just before the deadline.
    var milliseconds: Int32 {
        let left = max(.zero, instant - .now).components
        return Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Waits until a descriptor can be read, written or has failed.
    func wait(for descriptor: Int32, _ events: Int32) throws {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while !hasPassed {
            let count = Glibc.poll(&entry, 1, milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw HarnessError.system("poll") }
        }
        throw HarnessError("nothing came in time")
    }

    /// Asks again and again, a few milliseconds apart, for what no descriptor tells.
    ///
    /// - Returns: The first value that is not nil.
    static func poll<Value>(
        _ subject: String,
        patience: Duration = usual,
        _ value: () throws -> Value?
    ) throws -> Value {
        let deadline = Deadline(patience)
        while true {
            if let value = try value() { return value }
            if deadline.hasPassed { throw HarnessError("not in time: \(subject)") }
            usleep(5000)
        }
    }

    /// Waits until a condition holds.
    static func until(_ subject: String, patience: Duration = usual, _ condition: () throws -> Bool) throws {
        try poll(subject, patience: patience) { try condition() ? () : nil }
    }

    /// Watches that a condition holds all the time.
    static func stays(_ subject: String, for duration: Duration, _ condition: () throws -> Bool) throws {
        let deadline = Deadline(duration)
        while !deadline.hasPassed {
            guard try condition() else { throw HarnessError("not all the time: \(subject)") }
            usleep(20_000)
        }
    }
}

/// Why a test could not be carried out.
struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The system call that has just failed.
    static func system(_ call: String) -> HarnessError {
        HarnessError("\(call): \(String(cString: strerror(errno)))")
    }
}
