public import TokenBroker

/// How one account at a provider is reached.
public struct UpstreamSettings: Hashable, Sendable {
    /// The longest a connection may take to be ready where the settings name no other limit: a host that does not answer
    /// is found out well before the whole request's limit.
    public static let defaultConnectTimeout: Duration = .seconds(5)

    /// Scheme, host, port and path prefix, without a trailing slash: `https`, or `http` on a loopback address.
    public let baseURL: String
    /// The longest a whole request may take, name lookup and waiting for a free connection included.
    public let timeout: Duration
    /// The longest a new connection may take, TLS included.
    public let connectTimeout: Duration
    public let trust: TrustSettings

    public init(
        baseURL: String,
        timeout: Duration,
        connectTimeout: Duration = Self.defaultConnectTimeout,
        trust: TrustSettings = TrustSettings()
    ) {
        self.baseURL = baseURL
        self.timeout = timeout
        self.connectTimeout = min(connectTimeout, timeout)
        self.trust = trust
    }
}
