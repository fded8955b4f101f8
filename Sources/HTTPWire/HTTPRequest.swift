/// A request as it was received; its body is whole and decoded from chunks, nothing else is changed.
///
/// Two references, so that a request costs little to pass on, however much its head says. The memory of the body is wiped
/// with the last copy of the request.
public struct HTTPRequest: Sendable {
    let head: RequestHead
    /// Nil where there are none.
    private let bodyBytes: WipedBytes?

    init(head: RequestHead, body: [UInt8] = []) {
        self.head = head
        bodyBytes = body.isEmpty ? nil : WipedBytes(body)
    }

    public var body: [UInt8] { bodyBytes?.bytes ?? [] }

    public var method: HTTPMethod { head.method }

    public var version: HTTPVersion { head.version }

    public var headers: HeaderFields { head.headers }

    /// The head's bytes, where the request is nothing else: whoever begins a request with these bytes has sent this one.
    /// Nil where a body came, an empty one in chunks included.
    public var soleHead: [UInt8]? { head.hasBody ? nil : head.headers.head }

    /// Whether the client means to send another request on this connection; false wins over what we would like.
    public var keepsAlive: Bool { head.keepsAlive }

    /// The target as the request line has it, such as `/v1/tokens/web?min_ttl=60`.
    public var target: ArraySlice<UInt8> { head.headers.head[head.target.whole] }

    /// The target's path, not decoded: before the `?`, and behind the host in a target that is a URL.
    public var path: ArraySlice<UInt8> {
        head.target.path.isEmpty ? Self.rootPath : head.headers.head[head.target.path]
    }

    /// What follows the target's first `?`, not decoded; nil where there is none.
    public var query: ArraySlice<UInt8>? {
        head.target.query.map { head.headers.head[$0] }
    }

    private static let rootPath: ArraySlice<UInt8> = [UInt8(ascii: "/")]
}
