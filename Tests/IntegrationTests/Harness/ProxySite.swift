import Glibc
import HTTPWire

/// An app's view: a proxy, behind it the broker and a provider.
final class ProxySite {
    /// What stands behind the data route.
    enum Provider {
        /// ``EchoProvider``, reached with what the simulated AI Autocomplete mints.
        case echo
        /// The same, with a key of the simulated App AI Gateway and the user's id beside it.
        case echoWithUser
        /// The simulated AI Autocomplete itself, over HTTPS.
        case simulator
        /// The simulated App AI Gateway, over HTTPS, with tokens for each user's issuer token.
        case issuerGateway
    }

    let scratch: Scratch
    let simulator: SimulatorProcess
    let broker: BrokerProcess
    let echo: EchoProvider
    private let proxy: RunningProcess
    private let socket: String

    /// - Parameter authority: whom the proxy trusts over HTTPS; nil: the simulator's.
    init(
        _ front: FrontProxy,
        _ provider: Provider = .echo,
        edits: [FrontProxy.Edit] = [],
        authority: String? = nil
    ) throws {
        try front.require()
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        broker = try BrokerProcess(scratch, Self.configuration(scratch, simulator, provider))
        echo = try EchoProvider()
        let isSimulator = provider == .simulator || provider == .issuerGateway
        let surroundings = FrontProxy.Surroundings(
            scratch: scratch,
            brokerSocket: broker.appsSocket,
            providerScheme: isSimulator ? "https" : "http",
            providerPort: isSimulator ? simulator.httpsPort : echo.port,
            authority: authority ?? simulator.authority
        )
        (proxy, socket) = try front.start(surroundings, edits)
    }

    /// The names in it are the shipped files' own.
    private static func configuration(
        _ scratch: Scratch,
        _ simulator: SimulatorProcess,
        _ provider: Provider
    ) throws -> String {
        try scratch.write("secret", SimulatorProcess.secretKey + "\n")
        try scratch.write("gateway-secret", "agw_exampleheadera1b2c3key10000000000000000000000000\n")
        try scratch.write("issuer-secret", "agw_exampleissuera1b2c3key10000000000000000000000000\n")
        try scratch.write("roadie-secret", "rd_sk_test_demo\n")
        let origin = "http://127.0.0.1:\(simulator.httpPort)"
        let allow = "allow: [{ user: \(geteuid()), only: [forward-auth, routes] }]"
        let token =
            switch provider {
            case .echo, .simulator: "{ provider: autocomplete, product_id: \(SimulatorProcess.product), \(allow) }"
            case .echoWithUser: "{ provider: gateway, end_user_header: X-User, reveal_secret: true, \(allow) }"
            case .issuerGateway: "{ provider: issuer-gateway, \(allow) }"
            }
        return """
            listen: { apps: \(scratch.path("run/apps.sock")), admin: \(scratch.path("admin/admin.sock")) }
            operators: [{ user: \(geteuid()), group: \(getegid()) }]
            secrets:
              key: { file: \(scratch.path("secret")) }
              gateway-key: { file: \(scratch.path("gateway-secret")) }
              issuer-key: { file: \(scratch.path("issuer-secret")) }
              roadie-key: { file: \(scratch.path("roadie-secret")) }
            providers:
              autocomplete: { kind: ai-autocomplete, base_url: \(origin)/ai-autocomplete, secret: key }
              gateway:
                kind: app-ai-gateway
                base_url: \(origin)/app-ai-gateway
                app_id: example-header-a1b2c3
                secret: gateway-key
                user: header
                verify_as: nobody
              issuer-gateway:
                kind: app-ai-gateway
                base_url: \(origin)/app-ai-gateway
                app_id: example-issuer-a1b2c3
                secret: issuer-key
                user: issuer-token
              roadie: { kind: roadie, base_url: \(origin)/roadie, secret: roadie-key }
            tokens:
              autocomplete-web: \(token)
              roadie-user: { provider: roadie, end_user: per-request, scopes: [ai.chat], \(allow) }
            routes:
              ac-token:
                token: roadie-user
                shape: roadie
                public_path: /api/ac-token
                end_user_from: { header: X-User }

            """
    }

    /// Ann's password, as her app sends it.
    static let password = ("Authorization", "Basic YW5uOnNlY3JldA==")

    func connect() throws -> Connection { try Connection(unix: socket) }

    /// Asks as Ann.
    func exchange(
        _ method: HTTPMethod,
        _ target: String,
        _ headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> Answer {
        try connect().exchange(method, target, headers: [Self.password] + headers, body: body)
    }

    func get(_ target: String, _ headers: (String, String)...) throws -> Answer {
        try exchange(.get, target, headers)
    }
}
