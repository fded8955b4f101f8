internal import EventLoop

/// A simulator's listeners and what is behind them, set up on a loop.
struct Site: Sendable {
    let server: Server
    let httpPort: UInt16
    let httpsPort: UInt16
    let authorityPEM: String
    /// The certificate that the devices' attestations lead to.
    let deviceRootPEM: String
    /// The providers' names.
    let providers: [String]

    /// Begins to listen; the loop has yet to run.
    init(_ options: SimulatorOptions, on loop: EventLoop) throws {
        let hosts = Self.providers(options).map { provider in
            ProviderHost(provider, wallMilliseconds: Self.wallMilliseconds)
        }
        let authority = try CertificateAuthority()
        let context = try TLSContext(authority)
        let maker = try DeviceMaker()
        let devices = ProviderHost(SimulatedDevices(maker), wallMilliseconds: Self.wallMilliseconds)
        server = Server(loop: loop, router: Router(hosts + [devices]))
        httpPort = try server.listen(port: options.httpPort) { PlainTransport($0) }
        httpsPort = try server.listen(port: options.httpsPort) { TLSTransport($0, context) }
        authorityPEM = authority.pem
        deviceRootPEM = maker.rootPEM
        providers = hosts.map(\.provider.name)
    }

    private static func providers(_ options: SimulatorOptions) -> [any SimulatedProvider] {
        let account = AIAutocomplete.Account(
            keys: Set(options.keys),
            products: Set(options.products.map { $0.lowercased() }),
            lifetimeSeconds: options.lifetimeSeconds
        )
        return [
            AIAutocomplete(account),
            AppAIGateway(lifetimeSeconds: options.lifetimeSeconds),
            Roadie(lifetimeSeconds: options.lifetimeSeconds),
            Palbase(wallMilliseconds: wallMilliseconds),
            NewAPI(),
            OAuth2(),
        ]
    }

    private static func wallMilliseconds() -> Int64 {
        SystemClock.wallNanoseconds() / 1_000_000
    }

    /// The base URLs to configure a client with, by provider.
    func baseURL(of provider: String, secure: Bool) -> String {
        secure ? "https://127.0.0.1:\(httpsPort)/\(provider)" : "http://127.0.0.1:\(httpPort)/\(provider)"
    }
}
