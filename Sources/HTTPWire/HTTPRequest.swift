/// A request as it was received; its body is whole and decoded from chunks, nothing else is changed.
public struct HTTPRequest: Sendable {
    public let method: HTTPMethod
    public let version: HTTPVersion
    public let headers: HeaderFields
    /// Whether the client means to send another request on this connection; false wins over what we would like.
    public let keepsAlive: Bool
    public internal(set) var body: [UInt8] = []

    let requestTarget: RequestTarget

    /// The target as the request line has it, such as `/v1/tokens/web?min_ttl=60`.
    public var target: ArraySlice<UInt8> { headers.head[requestTarget.whole] }

    /// The target's path, not decoded: before the `?`, and behind the host in a target that is a URL.
    public var path: ArraySlice<UInt8> {
        requestTarget.path.isEmpty ? Self.rootPath : headers.head[requestTarget.path]
    }

    /// What follows the target's first `?`, not decoded; nil where there is none.
    public var query: ArraySlice<UInt8>? {
        requestTarget.query.map { headers.head[$0] }
    }

    private static let rootPath: ArraySlice<UInt8> = [UInt8(ascii: "/")]
}
