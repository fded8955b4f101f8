internal import Glibc

extension StandardStream {
    /// A line of a terminal's own has an end at 4095 bytes, and a key may be longer: keys are read one by one.
    private static let longestLine = 64 * 1024

    /// Reads a long-lived key: all that comes; from a terminal one line, which is not shown.
    ///
    /// - Parameter prompt: for the terminal, on standard error.
    func readSecret(prompt: String) throws(CommandFailure) -> [UInt8] {
        guard let before = takeKeys() else { return try InputFile.contents(rawValue, "standard input") }
        _ = StandardStream.error.write(Array(prompt.utf8))
        defer {
            giveBack(before)
            _ = StandardStream.error.write([UInt8(ascii: "\n")])
        }
        return try readLine()
    }

    private func readLine() throws(CommandFailure) -> [UInt8] {
        var line: [UInt8] = []
        while line.count <= Self.longestLine {
            var key: UInt8 = 0
            let (count, error) = SystemError.retryingInterrupts { read(rawValue, &key, 1) }
            guard count >= 0 else { throw .usage("cannot read the terminal: \(SystemError.text(error))") }
            guard count > 0 else { return line }
            switch key {
            // Return, and Ctrl-D.
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x04: return line
            case 0x03: throw .usage("given up, nothing was sent")
            // Backspace, and Ctrl-U.
            case 0x08, 0x7F: _ = line.popLast()
            case 0x15: line = []
            default: line.append(key)
            }
        }
        throw .usage("the value is longer than \(Self.longestLine) bytes")
    }
}
