/// What a request's head says, and how its body will come.
final class RequestHead: Sendable {
    let method: HTTPMethod
    let version: HTTPVersion
    let headers: HeaderFields
    let target: RequestTarget
    private let framing: FramingFields

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
        self.method = method
        self.version = version
        self.headers = headers
        self.target = target
        self.framing = framing
    }

    /// Whether the client means to send another request.
    var keepsAlive: Bool { framing.keepsAlive(version) }

    /// The client waits for `100 Continue` before it sends the body. HTTP/1.0 knows no interim answers (RFC 9110 section
    /// 10.1.1).
    var expectsContinue: Bool { framing.expectsContinue && version == .http11 }

    /// Whether something follows that is not another request.
    var hasBody: Bool { framing.isChunked || (framing.contentLength ?? 0) > 0 }

    /// Reads the body that follows; nil where none does.
    func bodyReader(limits: WireLimits) throws(WireRefusal) -> BodyReader? {
        if framing.isChunked { return .chunked }
        guard let length = framing.contentLength, length > 0 else { return nil }
        return try BodyReader(length: length, limits: limits)
    }

    /// As much as can be told of the target's path from a head that has not come whole, or cannot be read.
    static func path(begunBy head: [UInt8]) -> [UInt8] {
        let bytes = head.span
        let methodEnd = bytes.end(of: .token, in: bytes.indices)
        guard methodEnd > 0, methodEnd < bytes.count, bytes[methodEnd] == UInt8(ascii: " ") else { return [] }
        let targetEnd = bytes.end(of: .target, in: methodEnd + 1..<bytes.count)
        let target = try? RequestTarget(parsing: bytes, methodEnd + 1..<targetEnd, method: .get)
        return target.map { Array(head[$0.path]) } ?? []
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
}
