internal import EventLoop

/// Every provider's side of the wire, in this process, on a thread of its own: for tests.
///
/// HTTP and HTTPS serve the same: below `/ai-autocomplete` the paths of AI Autocomplete (`/api/auth/token`,
/// `/api/suggest`), so a base URL is `http://127.0.0.1:PORT/ai-autocomplete`, and so for the other providers; below
/// `/control` faults are asked for and counts are read. `tokenbroker-simulator --help` lists them all.
public final class Simulator: Sendable {
    private let site: Site
    private let thread: LoopThread

    /// Makes certificates, listens and begins to serve.
    ///
    /// - Throws: ``SimulatorError`` where a port is taken, and what the system refuses.
    public init(_ options: SimulatorOptions = SimulatorOptions()) throws {
        let loop = try EventLoop()
        site = try Site(options, on: loop)
        thread = try LoopThread(running: loop, name: "simulator")
    }

    /// The port on 127.0.0.1 that speaks HTTP.
    public var httpPort: UInt16 { site.httpPort }

    /// The port on 127.0.0.1 that speaks HTTPS, for the names `127.0.0.1` and `localhost`.
    public var httpsPort: UInt16 { site.httpsPort }

    /// The certificate of the authority that signed the HTTPS server's, in PEM. A new one every time.
    public var authorityPEM: String { site.authorityPEM }

    /// The certificate that the devices' attestations lead to, in PEM. A new one every time.
    public var deviceRootPEM: String { site.deviceRootPEM }

    /// Drops every connection and ends the thread. Once only.
    public func stop() {
        thread.loop.post { [site] in site.server.close() }
        thread.stop()
    }
}
