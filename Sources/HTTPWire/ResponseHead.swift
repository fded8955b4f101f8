/// An answer without its body yet, and how that body will come.
struct ResponseHead: Sendable {
    var response: HTTPClientResponse
    /// Nil where no body follows.
    var body: BodyReader?

    /// Reads a head that ``HeadReader`` has delimited.
    init(parsing head: [UInt8], limits: WireLimits, answersHead: Bool) throws(WireRefusal) {
        let bytes = head.span
        guard let lineEnd = bytes.firstIndex(of: .carriageReturn, in: bytes.indices), lineEnd >= 12 else {
            throw .malformed("the status line is malformed")
        }
        let version = try HTTPVersion(parsing: bytes, 0..<8)
        let status = try Self.status(bytes, 8..<lineEnd)
        let headers = try HeaderFields(parsing: head, from: lineEnd + 2, limits: limits)
        let framing = try FramingFields(headers, version: version)
        if status == 101 { throw .malformed("a switch of protocols that was not asked for") }

        // RFC 9112 section 6.3: these end with their head, whatever their fields say.
        if answersHead || status < 200 || status == 204 || status == 304 {
            body = nil
        } else if framing.isChunked {
            body = .chunked
        } else if let length = framing.contentLength {
            body = length == 0 ? nil : try BodyReader(length: length, limits: limits)
        } else {
            body = .untilClose
        }
        response = HTTPClientResponse(
            status: status,
            version: version,
            headers: headers,
            keepsAlive: framing.keepsAlive(version) && body?.isUntilClose != true
        )
    }

    /// Reads ` 200 OK`; the phrase may be missing, and its space with it.
    private static func status(_ head: Span<UInt8>, _ range: Range<Int>) throws(WireRefusal) -> Int {
        let digits = range.lowerBound + 1..<range.lowerBound + 4
        guard head[range.lowerBound] == UInt8(ascii: " "), head.allSatisfy(.digit, in: digits),
            digits.upperBound == range.upperBound || head[digits.upperBound] == UInt8(ascii: " ")
        else { throw .malformed("the status line is malformed") }
        let status = digits.reduce(0) { $0 * 10 + Int(head[$1] - UInt8(ascii: "0")) }
        guard (100...599).contains(status) else { throw .malformed("no HTTP status") }
        return status
    }
}
