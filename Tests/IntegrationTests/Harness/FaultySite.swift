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
    private let search = LeakSearch()

    init() throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        let accounts = FaultyAccount.Kind.allCases.flatMap { kind in
            FaultyAccount.Fault.allCases.map { FaultyAccount(kind: kind, fault: $0) }
        }
        var settings = Settings(scratch)
        settings.level = "trace"
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
            search.plant(account.secret, account.name + Self.seedMark)
            // The first refresh token of a session that is this account's alone.
            try scratch.write("\(account.name)-seed", account.name + Self.seedMark)
            guard account.kind == .palbase else { continue }
            let session: JSONValue = ["project": "demo", "refresh_token": .string(account.name + Self.seedMark)]
            try simulator.order("palbase", "sessions", session)
        }
        broker = try BrokerProcess(scratch, settings.text)
    }

    private static let seedMark = "-first-refresh-token"

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
            let answer = try broker.get("/\(surface)/\(account.name)", ("X-User", "ann"))
            search.look(through: answer, "\(account) at \(surface)")
            return answer.status
        }
        return Observation(answer: answer, proxied: proxied)
    }

    // MARK: Leaks

    /// Looks through all that the broker tells of itself, and through what it wrote.
    func lookAround() throws {
        for target in ["/v1/status", "/metrics", "/", "/readyz"] {
            search.look(through: try broker.admin(.get, target).body, target)
        }
        search.look(through: try broker.get("/v1/tokens").body, "/v1/tokens")
        for file in geteuid() == 0 ? ["cmdline", "environ"] : ["cmdline"] {
            search.look(through: try Files.text("/proc/\(broker.process.pid)/\(file)"), file)
        }
        for name in try Files.names(scratch.path) where name.hasPrefix("store.sqlite") {
            search.look(through: try Files.bytes(scratch.path(name)), name)
        }
        search.look(through: broker.log.text, "the log")
    }

    /// Where something was found that must not be there.
    var leaks: Set<String> { search.leaks }

    /// Has the broker crash.
    ///
    /// - Returns: the core files that it left.
    func crash() throws -> Set<String> {
        broker.process.send(SIGSEGV)
        _ = try broker.process.waitForEnd()
        search.look(through: broker.log.text, "the log of the crash")
        return try Files.names(scratch.path).union(Files.names(".")).filter { $0.hasPrefix("core") }
    }

    /// Has the account's secret used at the provider.
    private func ask(_ account: FaultyAccount) throws -> Answer {
        let issuerToken = JWT.issuerToken("ann", secondsLeft: 40 * 86400)
        search.plant(issuerToken)
        let body: JSONValue =
            switch account.kind {
            case .gatewayUsers: ["issuer_token": .string(issuerToken)]
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
        search.look(through: answer, "\(account)")
        guard account.kind.isKey, let key = answer.text("access_token") else { return answer }
        let report: JSONValue = ["access_token": .string(key)]
        let verdict = try broker.connect().exchange(
            .post,
            target + "/rejected",
            headers: [("Prefer", "wait=30")],
            body: report.serialized()
        )
        search.look(through: verdict, "\(account), reported")
        return verdict
    }
}
