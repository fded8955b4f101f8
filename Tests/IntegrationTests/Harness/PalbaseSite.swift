import Glibc
import HTTPWire
import JSON

/// A broker with a Palbase account and a store, and the simulator that plays Palbase.
final class PalbaseSite {
    static let publishableKey = "pb_demo_c0123456789abcdef"
    static let serviceKey = "pb_demo_s0123456789abcdef"
    static let seed = "demo-refresh-token"

    let scratch: Scratch
    let simulator: SimulatorProcess
    private(set) var broker: BrokerProcess
    private let configuration: String

    /// - Parameters:
    ///   - options: Of the provider, with a comma before them.
    ///   - token: Of the token `web`.
    ///   - prepare: Changes the simulator's behaviour before the broker starts.
    init(
        _ options: String = ", session: seed",
        key: String = publishableKey,
        token: String = Site.onDemand,
        prepare: (SimulatorProcess) throws -> Void = { _ in }
    ) throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        try scratch.write("secret", key)
        try scratch.write("seed", Self.seed)
        var settings = Settings(scratch)
        let address = "http://127.0.0.1:\(simulator.httpPort)/palbase"
        settings.extra = [
            "store: { path: \(scratch.path("store.sqlite")), key: \"file:\(scratch.path("store-key"))\" }",
            "secrets:",
            "  key: { file: \(scratch.path("secret")) }",
            "  seed: { file: \(scratch.path("seed")) }",
            "providers:",
            "  palbase: { kind: palbase, project: demo, base_url: \(address), secret: key\(options) }",
            "tokens:",
            "  web: { provider: palbase, allow: [{ user: \(geteuid()) }], \(token) }",
        ]
        configuration = settings.text
        try prepare(simulator)
        broker = try BrokerProcess(scratch, configuration)
    }

    /// Ends the broker and starts it again.
    ///
    /// - Parameter between: What happens while there is none.
    func restart(_ signal: Int32 = SIGTERM, between: () throws -> Void = {}) throws {
        broker.process.send(signal)
        _ = try broker.process.waitForEnd()
        try between()
        broker = try BrokerProcess(scratch, configuration)
    }

    /// Mints in place of the token that is held.
    func refresh() throws -> Answer {
        try broker.admin(.post, "/v1/tokens/web/refresh")
    }

    /// What the provider says to an app's request with these headers.
    func todos(_ headers: [(String, String)]) throws -> Answer {
        try Connection(port: simulator.httpPort).exchange(.get, "/palbase/v1/todos", headers: headers)
    }

    /// Whether the provider takes the token.
    func takes(_ token: String?) throws -> Bool {
        let headers = [("apikey", Self.publishableKey), ("Authorization", "Bearer \(token ?? "")")]
        return try todos(headers).status == 200
    }

    // MARK: Control

    @discardableResult
    func control(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
        try Self.control(simulator, method, path, body)
    }

    @discardableResult
    static func control(
        _ simulator: SimulatorProcess,
        _ method: HTTPMethod,
        _ path: String,
        _ body: JSONValue? = nil
    ) throws -> JSONValue {
        let connection = try Connection(port: simulator.httpPort)
        let answer = try connection.exchange(method, "/control/palbase" + path, body: body?.serialized() ?? [])
        guard answer.status == 200 else { throw HarnessError("control: \(answer.json)") }
        return answer.json
    }

    /// How often any refresh token came.
    func presentations() throws -> Int64 {
        let uses = try control(.get, "")["refresh_tokens"]?.array ?? []
        return uses.reduce(0) { $0 + ($1["presented"]?.number?.int64 ?? 0) }
    }

    func familiesRevoked() throws -> Int64? {
        try control(.get, "")["families_revoked"]?.number?.int64
    }
}
