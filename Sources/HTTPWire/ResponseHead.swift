/// An answer without its body yet, and how that body will come.
struct ResponseHead: Sendable {
    var response: HTTPClientResponse
    /// Nil where no body follows.
    var body: BodyReader?

    /// Reads a head that ``HeadReader`` has delimited.
    init(parsing head: [UInt8], limits: WireLimits, answersHead: Bool) throws(WireRefusal) {
        let line = head.prefix { $0 != .carriageReturn }
        let version = try HTTPVersion(parsing: line.prefix(8))
        let status = try Self.status(line.dropFirst(8))
        let headers = try HeaderFields(parsing: head, from: line.endIndex + 2, limits: limits)
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
    private static func status(_ bytes: ArraySlice<UInt8>) throws(WireRefusal) -> Int {
        let digits = bytes.dropFirst().prefix(3)
        guard bytes.first == UInt8(ascii: " "), digits.count == 3, digits.allSatisfy(\.isDigit),
            bytes.dropFirst(4).first ?? UInt8(ascii: " ") == UInt8(ascii: " ")
        else { throw .malformed("the status line is malformed") }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (100...599).contains(status) else { throw .malformed("no HTTP status") }
        return status
    }
}
