/// The two versions of HTTP that are spoken.
public enum HTTPVersion: Sendable {
    case http10
    case http11

    /// Reads the version at the end of a request line or the beginning of a status line.
    init(parsing head: Span<UInt8>, _ range: Range<Int>) throws(WireRefusal) {
        let start = range.lowerBound
        // HTTP-version is exactly eight bytes: "HTTP/" DIGIT "." DIGIT.
        guard range.count == 8, Self.isPrefix(of: head, at: start), head[start + 6] == UInt8(ascii: ".")
        else {
            throw .malformed("the HTTP version is missing or malformed")
        }
        switch (head[start + 5], head[start + 7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): self = .http11
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): self = .http10
        case (UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "0")...UInt8(ascii: "9")):
            throw WireRefusal(.versionNotSupported, "only HTTP/1.0 and HTTP/1.1 are spoken here")
        default: throw .malformed("the HTTP version is missing or malformed")
        }
    }

    /// The name of the protocol is in capital letters (RFC 9112 section 2.3).
    private static func isPrefix(of head: Span<UInt8>, at start: Int) -> Bool {
        head[start] == UInt8(ascii: "H") && head[start + 1] == UInt8(ascii: "T") && head[start + 2] == UInt8(ascii: "T")
            && head[start + 3] == UInt8(ascii: "P") && head[start + 4] == UInt8(ascii: "/")
    }
}
