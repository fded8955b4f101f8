public import TokenBroker

/// One request to a provider.
public struct UpstreamRequest: Sendable {
    public enum Method: Sendable {
        case get
        case post
        /// Has no body here.
        case delete
    }

    public struct Header: Sendable {
        public enum Value: Sendable {
            case text(String)
            /// `Bearer` and the secret's bytes.
            case bearer(Secret)
            /// The secret's bytes alone.
            case secret(Secret)
        }

        public let name: String
        public let value: Value

        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }

        public init(_ name: String, _ text: String) {
            self.init(name, .text(text))
        }
    }

    public let method: Method
    /// Appended to the base URL as it is: empty, or begins with a slash.
    public let path: String
    public let headers: [Header]
    public let body: [UInt8]
    /// Whether the provider may see the request twice without harm.
    ///
    /// A connection that was kept open can turn out dead only after the request was written to it. A replayable request
    /// is then sent again on another connection; any other gets a new connection from the start.
    public let isReplayable: Bool

    public init(
        _ method: Method,
        path: String,
        headers: [Header] = [],
        body: [UInt8] = [],
        isReplayable: Bool
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.isReplayable = isReplayable
    }
}
