/// A request to send. The encoder adds `Host` and `Content-Length`.
public struct HTTPClientRequest: Sendable {
    public let method: HTTPMethod
    public let target: String
    public let host: String
    public var headers: [HeaderField]
    public var body: [UInt8]

    /// - Parameters:
    ///   - target: path and query, percent-encoded; see ``QueryItems`` for the query.
    ///   - host: on a Unix socket there is no host, and `localhost` is what curl sends.
    /// - Throws: ``WireEncodingError`` where a part could be read as something else than it is.
    public init(
        _ method: HTTPMethod,
        _ target: String,
        host: String = "localhost",
        headers: [HeaderField] = [],
        body: [UInt8] = []
    ) throws(WireEncodingError) {
        let (token, hostBytes) = (ByteSet.token, ByteSet.host)
        guard !method.name.isEmpty, method.name.utf8.allSatisfy(token.contains) else { throw .malformedMethod }
        guard target.hasPrefix("/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { throw .malformedTarget }
        guard host.utf8.allSatisfy(hostBytes.contains) else { throw .malformedHost }
        self.method = method
        self.target = target
        self.host = host
        self.headers = headers
        self.body = body
    }

    /// The request as bytes.
    ///
    /// - Parameter keepsAlive: false asks the server to close the connection after its answer.
    public func encoded(keepsAlive: Bool = true) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256 + body.count)
        output += method.name.utf8
        output.append(" ")
        output += target.utf8
        output.append(" HTTP/1.1\r\n")
        output.appendField("Host", host)
        for field in headers { output.appendField(field.name, field.value) }
        if !keepsAlive { output.appendField("Connection", "close") }
        // A POST or PUT without a body says so (RFC 9110 section 8.6).
        if !body.isEmpty || method == .post || method == .put {
            output.appendField("Content-Length", String(body.count))
        }
        output.append("\r\n")
        output += body
        return output
    }
}
