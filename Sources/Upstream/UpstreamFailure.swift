/// Why there is no answer. Two failures with the same code are equal.
public struct UpstreamFailure: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The base URL, the path or a header is not one that may be sent.
        case invalidRequest = "invalid_request"
        case couldNotResolve = "could_not_resolve"
        /// Refused, unreachable, or no TLS connection came about.
        case couldNotConnect = "could_not_connect"
        case timedOut = "timed_out"
        /// The certificate is not one we trust, not this host's, or none of the chain is pinned.
        case tlsUntrusted = "tls_untrusted"
        /// The file of additional certificates is missing or is not PEM.
        case trustFileUnreadable = "trust_file_unreadable"
        /// The connection ended before the answer did.
        case connectionLost = "connection_lost"
        /// The answer is longer than we read.
        case tooLarge = "too_large"
        /// What came is not HTTP.
        case malformedResponse = "malformed_response"
        /// The caller's task was cancelled.
        case cancelled
        /// The client was closed.
        case closed
        /// The transfer failed in a way that has no code of its own.
        case other
    }

    public let code: Code
    /// One sentence, safe for any reader: it names the host, never a path, a header or a body.
    public let message: String
    /// Whether the provider can have seen the request; when false it certainly has not.
    public let requestMayHaveBeenSent: Bool

    public init(_ code: Code, _ message: String, requestMayHaveBeenSent: Bool = false) {
        self.code = code
        self.message = message
        self.requestMayHaveBeenSent = requestMayHaveBeenSent
    }

    public var description: String { message }

    public static func == (lhs: UpstreamFailure, rhs: UpstreamFailure) -> Bool {
        lhs.code == rhs.code
    }
}
