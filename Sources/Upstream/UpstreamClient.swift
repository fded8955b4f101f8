internal import Synchronization
public import TokenBroker

/// The way out to the providers: HTTPS by libcurl.
///
/// Each pool has its own connections and its own thread. libcurl compares connections by host, not by the certificates
/// that a caller trusts, so that a shared pool could serve one account over a connection that another one's settings
/// allowed; and a thread that is busy for one provider cannot delay another's.
///
/// `HTTPS_PROXY`, `https_proxy`, `ALL_PROXY` and `NO_PROXY` are read from the environment as libcurl does; a loopback base
/// URL never goes through a proxy.
public final class UpstreamClient: Sendable {
    private let clock: any HostClock
    private let userAgent: String

    public init(clock: any HostClock, userAgent: String) {
        self.clock = clock
        self.userAgent = userAgent
    }

    /// Opens a pool of its own for one account. Its connections end with the last reference to it, or with ``close()``.
    public func pool(for settings: UpstreamSettings) -> any HTTPSender {
        fatalError()
    }

    /// Ends all transfers and waits until the threads have ended; what is sent afterwards fails as `closed`.
    public func close() {}
}
