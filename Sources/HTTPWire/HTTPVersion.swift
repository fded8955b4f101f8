/// The two versions of HTTP that are spoken.
public enum HTTPVersion: Sendable {
    case http10
    case http11

    /// Reads the version at the end of a request line or the beginning of a status line.
    init(parsing bytes: ArraySlice<UInt8>) throws(WireRefusal) {
        // HTTP-version is exactly eight bytes: "HTTP/" DIGIT "." DIGIT.
        guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[bytes.startIndex + 6] == UInt8(ascii: ".")
        else {
            throw .malformed("the HTTP version is missing or malformed")
        }
        switch (bytes[bytes.startIndex + 5], bytes[bytes.startIndex + 7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): self = .http11
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): self = .http10
        case (UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "0")...UInt8(ascii: "9")):
            throw WireRefusal(.versionNotSupported, "only HTTP/1.0 and HTTP/1.1 are spoken here")
        default: throw .malformed("the HTTP version is missing or malformed")
        }
    }
}
