/// How long a record may become.
enum LogLimits {
    /// UTF-8 bytes of one value. Error texts of other systems are the long ones, and their beginning says what is wrong.
    static let valueBytes = 1024
    /// Bytes of one line, the line feed included: PIPE_BUF, up to which a write to a pipe is atomic and does not block
    /// once the pipe is writable.
    static let lineBytes = 4096
    /// Stands where something was cut off.
    static let ellipsis = "…"
}

extension String {
    /// The longest beginning of whole code points that takes no more than `limit` bytes, marked when it is not all.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit - LogLimits.ellipsis.utf8.count)
        while utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
        return String(self[..<end]) + LogLimits.ellipsis
    }
}
