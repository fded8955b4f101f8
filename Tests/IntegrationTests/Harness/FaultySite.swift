import Glibc
import HTTPWire
import JSON

/// A broker with an account for each kind of provider and each way that it can fail.
struct FaultySite {
    /// What callers hear of an account.
    struct Observation {
        let answer: Answer
        /// What a route and forward-auth answered, where there are these.
        let proxied: [Int]
    }

    private let scratch: Scratch
    private let simulator: SimulatorProcess
    private let broker: BrokerProcess

    init() throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        let accounts = FaultyAccount.Kind.allCases.flatMap { kind in
            FaultyAccount.Fault.allCases.map { FaultyAccount(kind: kind, fault: $0) }
        }
        var settings = Settings(scratch)
        for section in ["secrets", "providers", "tokens", "routes"] {
            settings.extra.append("\(section):")
            for account in accounts {
                guard let block = Self.block(of: account, section, scratch, simulator) else { continue }
                settings.extra.append("  " + block)
            }
        }
        settings.addStore()
        for account in accounts {
            try scratch.write(account.name, account.secret)
            // The first refresh token of a session that is this account's alone.
            try scratch.write("\(account.name)-seed", account.name)
            guard account.kind == .palbase else { continue }
            try simulator.order("palbase", "sessions", ["project": "demo", "refresh_token": .string(account.name)])
        }
        broker = try BrokerProcess(scratch, settings.text)
    }

    private static func block(
        of account: FaultyAccount,
        _ section: String,
        _ scratch: Scratch,
        _ simulator: SimulatorProcess
    ) -> String? {
        let name = account.name
        switch section {
        case "secrets":
            let seed = "\(name)-seed"
            return "\(name): { file: \(scratch.path(name)) }\n  \(seed): { file: \(scratch.path(seed)) }"
        case "providers":
            let isSecure = account.fault == .certificate
            let (scheme, port) = isSecure ? ("https", simulator.httpsPort) : ("http", simulator.httpPort)
            return account.providerBlock(origin: "\(scheme)://127.0.0.1:\(port)")
        case "tokens":
            let allow = "allow: [{ user: \(geteuid()) }]"
            return "\(name): { provider: \(name), \(Site.onDemand), \(allow), \(account.tokenOptions) }"
        default: return account.routeBlock
        }
    }

    /// Has the account fail, and says what callers hear.
    func observe(_ account: FaultyAccount) throws -> Observation {
        if account.fault == .revokedSecret {
            let (action, grant, revoke) = account.orders
            try simulator.order(account.provider, action, grant)
            let answer = try ask(account)
            guard answer.status == 200 || answer.code == "token_not_stale" else {
                throw HarnessError("the key did not work before it was revoked: \(answer.json)")
            }
            try simulator.order(account.provider, action, revoke)
            _ = try broker.admin(.delete, "/v1/tokens/\(account.name)")
        }
        try simulator.behave(account.provider, account.behaviour)
        defer { try? simulator.behaveNormally(account.provider) }
        let answer = try ask(account)
        guard account.routeBlock != nil else { return Observation(answer: answer, proxied: []) }
        let proxied = try ["routes", "v1/forward-auth"].map { surface in
            try broker.get("/\(surface)/\(account.name)", ("X-User", "ann")).status
        }
        return Observation(answer: answer, proxied: proxied)
    }

    /// Has the account's secret used at the provider.
    private func ask(_ account: FaultyAccount) throws -> Answer {
        let body: JSONValue =
            switch account.kind {
            case .gatewayUsers: ["issuer_token": .string(JWT.issuerToken("ann", secondsLeft: 40 * 86400))]
            case .roadie: ["end_user": ["id": "ann"]]
            default: [:]
            }
        let target = "/v1/tokens/\(account.name)"
        let answer = try broker.connect().exchange(
            .post,
            target,
            headers: [("Prefer", "wait=30")],
            body: body.serialized()
        )
        guard account.kind.isKey, let key = answer.text("access_token") else { return answer }
        let report: JSONValue = ["access_token": .string(key)]
        return try broker.connect().exchange(
            .post,
            target + "/rejected",
            headers: [("Prefer", "wait=30")],
            body: report.serialized()
        )
    }
}
