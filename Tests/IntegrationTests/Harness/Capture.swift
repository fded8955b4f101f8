import Glibc

/// What a program writes to one of its outputs.
final class Capture {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// All that has been written so far.
    var text: String {
        while readMore() {}
        return String(decoding: bytes, as: UTF8.self)
    }

    var lines: [Substring] {
        text.split(separator: "\n")
    }

    /// Waits for a line that has all of these parts.
    @discardableResult
    func line(with parts: String..., patience: Duration = Deadline.usual) throws -> String {
        let deadline = Deadline(patience)
        while true {
            let complete = text.hasSuffix("\n") ? lines[...] : lines.dropLast()
            if let line = complete.first(where: { line in parts.allSatisfy(line.contains) }) { return String(line) }
            do {
                try deadline.wait(for: descriptor, POLLIN)
            } catch {
                throw HarnessError("no line with \(parts) in:\n\(text)")
            }
            guard readMore() else { throw HarnessError("the program ended without a line with \(parts):\n\(text)") }
        }
    }

    private func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &buffer, buffer.count)
        bytes += buffer.prefix(max(count, 0))
        return count > 0
    }
}

/// A pipe from a program to the tests. Between its making and its flags a child of another thread could inherit it.
struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw HarnessError.system("pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // F_SETPIPE_SZ, which the module hides: a mebibyte, more than any program here says, so that none is held up by
        // a test that looks elsewhere.
        _ = fcntl(writing, 1031, 1 << 20)
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }
}
