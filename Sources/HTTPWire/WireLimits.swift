/// How much a peer may send before it is refused.
public struct WireLimits: Sendable {
    /// The request or status line and the header fields, through the empty line that ends them: more than any client of a
    /// local socket sends, cookies of a proxy's users included.
    public var headBytes = 16 * 1024
    /// The body, decoded. Every request body here is a small JSON document or a secret.
    public var bodyBytes = 64 * 1024
    /// Header fields in one head. Each costs the reader some bytes of its own, so the head's length alone is no bound;
    /// a browser behind two proxies sends about 30.
    public var headerCount = 100
    /// Empty lines before a request, which RFC 9112 section 2.2 asks a server to skip. Some old clients send one after
    /// a body; a peer that sends them without end is not speaking HTTP.
    public var leadingEmptyLines = 4
    /// Chunk extensions and trailer fields of one body together. They are dropped, so they may only cost so much.
    public var chunkMetadataBytes = 4 * 1024
    /// Interim answers (1xx) before the final one. One `100 Continue` is usual, `103 Early Hints` may come twice.
    public var interimResponses = 8

    public init() {}

    /// The limits of the product's sockets.
    public static let `default` = WireLimits()
}
