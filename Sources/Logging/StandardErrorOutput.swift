internal import Glibc
internal import Synchronization

/// One line a record on a descriptor, standard error unless a test says otherwise.
///
/// Nobody may hold the broker up by not reading its log: a descriptor that cannot take a whole line at once loses it,
/// and the next line that gets through is preceded by how many were lost.
public final class StandardErrorOutput: LogOutput {
    private let descriptor: Int32
    /// Our own way to a terminal, see ``openTerminal(_:)``; closed at the end.
    private let terminal: Int32?
    /// Lines lost since the last one that got through. The lock also keeps our own threads from filling the pipe
    /// between the question whether it is writable and the write.
    private let lost = Mutex<Int64>(0)

    public convenience init() {
        self.init(descriptor: STDERR_FILENO)
    }

    /// - Parameter descriptor: stays open for as long as this output is used; it is not closed at the end.
    init(descriptor: Int32) {
        terminal = isatty(descriptor) == 1 ? Self.openTerminal(descriptor) : nil
        self.descriptor = terminal ?? descriptor
    }

    deinit {
        if let terminal { close(terminal) }
    }

    public func write(_ record: LogRecord) {
        lost.withLock { lost in
            if lost > 0, writeLine(lossRecord(lost, before: record)) { lost = 0 }
            if !writeLine(record) { lost += 1 }
        }
    }

    private func lossRecord(_ count: Int64, before record: LogRecord) -> LogRecord {
        LogRecord(
            unixMilliseconds: record.unixMilliseconds,
            level: .warning,
            message: "Log lines were lost",
            metadata: [.count: .integer(count)]
        )
    }

    /// A terminal says it is writable when a line fits only in part, and then blocks; so it is opened once more, with a
    /// non-blocking flag that is not shared with the shell. Nil where that is forbidden, as to another user's terminal.
    private static func openTerminal(_ descriptor: Int32) -> Int32? {
        let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return opened < 0 ? nil : opened
    }

    /// One `write`, and only where it will not block. The descriptor is asked instead of made non-blocking because
    /// that flag would be shared with whoever else holds the same pipe.
    private func writeLine(_ record: LogRecord) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&question, 1, 0) == 1, question.revents == Int16(POLLOUT) else { return false }
        var line = LineFormat.line(record)
        return line.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
    }
}
