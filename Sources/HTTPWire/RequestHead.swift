/// A request without its body yet, and how that body will come.
struct RequestHead: Sendable {
    var request: HTTPRequest
    /// Nil where no body follows.
    var body: BodyReader?
    /// The client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    /// Reads a head that ``HeadReader`` has delimited.
    ///
    /// A target that is a URL names the host twice. RFC 9112 section 3.2 has the client send the same in both places; one
    /// that does not is refused, so that `Host` can be relied on by itself.
    init(parsing head: [UInt8], limits: WireLimits) throws(WireRefusal) {
        let bytes = head.span
        let methodEnd = bytes.end(of: .token, in: bytes.indices)
        guard methodEnd > 0, bytes[methodEnd] == UInt8(ascii: " ") else {
            throw .malformed("the method is not a token")
        }
        let targetEnd = bytes.end(of: .target, in: methodEnd + 1..<bytes.count)
        guard bytes[targetEnd] == UInt8(ascii: " ") else { throw .malformed("a byte in the target that no target has") }
        // The version comes before the target's form: HTTP/2's preface has a strange one.
        let lineEnd = min(targetEnd + 9, bytes.count - 2)
        let version = try HTTPVersion(parsing: bytes, targetEnd + 1..<lineEnd)
        guard bytes[lineEnd] == .carriageReturn else { throw .malformed("the request line is malformed") }
        let method = HTTPMethod(parsing: bytes, 0..<methodEnd)
        let target = try RequestTarget(parsing: bytes, methodEnd + 1..<targetEnd, method: method)
        let headers = try HeaderFields(parsing: head, from: lineEnd + 2, limits: limits)
        let framing = try FramingFields(headers, version: version)
        try Self.checkHost(framing, version: version, head: bytes, authority: target.authority)
        body = try Self.body(framing, limits: limits)
        // HTTP/1.0 knows no interim answers (RFC 9110 section 10.1.1).
        expectsContinue = framing.expectsContinue && version == .http11 && body != nil
        request = HTTPRequest(
            method: method,
            version: version,
            headers: headers,
            keepsAlive: framing.keepsAlive(version),
            requestTarget: target
        )
    }

    private static func checkHost(
        _ framing: FramingFields,
        version: HTTPVersion,
        head: Span<UInt8>,
        authority: Range<Int>?
    ) throws(WireRefusal) {
        guard framing.hosts <= 1 else { throw .malformed("more than one Host") }
        guard framing.hosts == 1 || version == .http10 else { throw .malformed("the Host is missing") }
        guard let authority, framing.hosts == 1 else { return }
        guard head.equals(head.extracting(framing.host), in: authority) else {
            throw .malformed("the Host is not the target's")
        }
    }

    private static func body(_ framing: FramingFields, limits: WireLimits) throws(WireRefusal) -> BodyReader? {
        if framing.isChunked { return .chunked }
        guard let length = framing.contentLength, length > 0 else { return nil }
        return try BodyReader(length: length, limits: limits)
    }
}
