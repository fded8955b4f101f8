import Glibc
import HTTPWire
import JSON

/// A broker with a token of every kind of provider, none of them minted before it is asked for.
struct ProviderSite {
    /// A token of the configuration, by its kind of provider.
    enum Kind: String, CaseIterable {
        case autocomplete
        /// Users' tokens of App AI Gateway.
        case gateway
        /// The key of an application at App AI Gateway whose users a header names.
        case gatewayKey = "gateway-key"
        case roadie
        case relay
        case partner
        /// A session at Palbase.
        case session

        /// Those whose tokens are minted.
        static let minting: [Self] = [.autocomplete, .gateway, .roadie, .partner, .session]

        /// What the simulator calls it.
        var provider: String {
            switch self {
            case .autocomplete: "ai-autocomplete"
            case .gateway, .gatewayKey: "app-ai-gateway"
            case .roadie: "roadie"
            case .relay: "new-api"
            case .partner: "oauth2"
            case .session: "palbase"
            }
        }

        var key: String {
            switch self {
            case .autocomplete: SimulatorProcess.secretKey
            case .gateway: Demo.gatewayIssuerKey
            case .gatewayKey: Demo.gatewayHeaderKey
            case .roadie: Demo.roadieKey
            case .relay: Demo.relayKey
            case .partner: Demo.clientSecret
            case .session: Demo.publishableKey
            }
        }

        fileprivate func providerOptions(_ address: String) -> String {
            switch self {
            case .autocomplete, .roadie: "base_url: \(address)"
            case .gateway: "base_url: \(address), app_id: example-issuer-a1b2c3, user: issuer-token"
            case .gatewayKey: "base_url: \(address), app_id: example-header-a1b2c3, user: header, verify_as: u-1"
            case .relay: "base_url: \(address), bundle_id: com.example.app, device_id: device-1"
            case .partner: "token_url: \(address)/token, client_id: broker, scope: read write"
            case .session: "base_url: \(address), project: demo, session: seed"
            }
        }

        fileprivate var tokenOptions: String {
            switch self {
            case .autocomplete: ", product_id: \(SimulatorProcess.product)"
            case .gateway, .partner, .session: ""
            case .gatewayKey: ", reveal_secret: true, end_user_header: X-User"
            case .roadie: ", end_user: per-request, end_user_header: X-User"
            case .relay: ", reveal_secret: true"
            }
        }
    }

    let scratch: Scratch
    let simulator: SimulatorProcess
    let broker: BrokerProcess

    /// - Parameter wrongKeys: whether each key has a letter that is wrong.
    init(wrongKeys: Bool = false) throws {
        let scratch = try Scratch()
        self.scratch = scratch
        simulator = try SimulatorProcess(scratch)
        var settings = Settings(scratch)
        for kind in Kind.allCases { try scratch.write(kind.rawValue, wrongKeys ? kind.key.dropLast() + "X" : kind.key) }
        settings.extra +=
            ["secrets:"] + Kind.allCases.map { "  \($0.rawValue): { file: \(scratch.path($0.rawValue)) }" }
        settings.extra.append("  seed: { file: \(try scratch.write("seed", Demo.refreshToken)) }")
        settings.addStore()
        settings.extra += ["providers:"]
        for kind in Kind.allCases {
            let options = kind.providerOptions(simulator.address(of: kind.provider))
            settings.extra.append(
                "  \(kind.rawValue): { kind: \(kind.provider), secret: \(kind.rawValue), \(options) }"
            )
        }
        settings.extra += ["tokens:"]
        for kind in Kind.allCases {
            let common = "provider: \(kind.rawValue), \(Site.onDemand), allow: [{ user: \(geteuid()) }]"
            settings.extra.append("  \(kind.rawValue): { \(common)\(kind.tokenOptions) }")
        }
        settings.extra += [
            "routes:",
            "  autocomplete: { token: autocomplete, shape: ai-autocomplete }",
            "  autocomplete-ms: { token: autocomplete, shape: ai-autocomplete, expires_at_unit: milliseconds }",
            "  gateway: { token: gateway, shape: app-ai-gateway }",
            "  roadie: { token: roadie, shape: roadie, end_user_from: { header: X-User } }",
            "  partner: { token: partner, shape: oauth2 }",
            "  session: { token: session, shape: oauth2 }",
        ]
        broker = try BrokerProcess(scratch, settings.text)
    }

    // MARK: What apps ask

    /// The token of a user; who it is does not matter to kinds without users.
    ///
    /// - Parameter issuerToken: in place of a good one of this user's.
    func fetch(_ kind: Kind, for user: String = "ann", issuerToken: String? = nil) throws -> Answer {
        let body: JSONValue =
            switch kind {
            case .gateway: ["issuer_token": .string(issuerToken ?? JWT.issuerToken(user))]
            case .roadie: ["end_user": ["id": .string(user)]]
            default: [:]
            }
        return try post("/v1/tokens/\(kind.rawValue)", body)
    }

    /// The headers that a request of an app's needs.
    func authorize(_ kind: Kind, _ body: JSONValue) throws -> [(String, String)] {
        let answer = try post("/v1/authorize/\(kind.rawValue)", body)
        guard answer.status == 200, let headers = answer.json["headers"]?.object else {
            throw HarnessError("not authorized: \(answer.json)")
        }
        return headers.members.map { ($0.name, $0.value.string ?? "") }
    }

    /// The same from forward-auth, without what the answer has of its own.
    func forwardAuth(_ kind: Kind, _ headers: (String, String)...) throws -> [(String, String)] {
        let answer = try broker.connect().exchange(.get, "/v1/forward-auth/\(kind.rawValue)", headers: headers)
        guard answer.status == 200 else { throw HarnessError("not authorized: \(answer.json)") }
        let own: Set<String> = ["cache-control", "content-length", "connection", "date"]
        return answer.headers.filter { !own.contains($0.name.lowercased()) }.map { ($0.name, $0.value) }
    }

    func post(_ target: String, _ body: JSONValue) throws -> Answer {
        try broker.connect().exchange(.post, target, headers: [("Prefer", "wait=30")], body: body.serialized())
    }
}
