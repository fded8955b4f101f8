/// Collects the header lines of an answer: the last block of them, as an answer can follow several `1xx` heads.
struct ResponseHead {
    /// More than any provider sends; without an end of its own the head would be a way around the body's limit.
    static let maximumBytes = 64 * 1024

    private(set) var fields: [UpstreamHeaders.Field] = []
    /// Whether the blank line after the last head has come: libcurl takes a connection's end within a head for its end.
    private(set) var isComplete = false
    private var byteCount = 0

    /// Takes one line as libcurl delivers it, status line and blank line included.
    ///
    /// - Returns: false when the heads together are longer than the limit.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        byteCount += line.count
        guard byteCount <= Self.maximumBytes else { return false }
        let text = String(decoding: line, as: UTF8.self).trimmingWhitespace()
        if line.starts(with: "HTTP/".utf8) {
            fields = []
            isComplete = false
        } else if text.isEmpty {
            isComplete = true
        } else if !isComplete, let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...]
            fields.append(
                UpstreamHeaders.Field(name: String(text[..<colon]), value: String(value.trimmingWhitespace()))
            )
        }
        return true
    }
}

extension StringProtocol {
    fileprivate func trimmingWhitespace() -> SubSequence {
        let isWhitespace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
        guard let first = firstIndex(where: { !isWhitespace($0) }), let last = lastIndex(where: { !isWhitespace($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
