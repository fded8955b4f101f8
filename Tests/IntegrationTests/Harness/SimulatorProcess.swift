import HTTPWire
import JSON

/// The providers, as `tokenbroker-simulator` plays them.
final class SimulatorProcess {
    static let product = "0b9f6f0e-1d2c-4c59-9a6e-3f1f0f6f2a77"
    static let secretKey = "sk_v1_integration_tests"

    let httpPort: UInt16
    let httpsPort: UInt16
    /// The file with the authority to trust for HTTPS.
    let authority: String
    /// The file with the root of the devices' keys.
    let deviceRoot: String
    private let process: RunningProcess

    init(_ scratch: Scratch, lifetime: Int = 3600) throws {
        authority = scratch.path("simulator-ca.pem")
        deviceRoot = scratch.path("device-root.pem")
        process = try RunningProcess(
            "tokenbroker-simulator",
            [
                "--secret-key", Self.secretKey, "--lifetime", String(lifetime), "--ca-file", authority,
                "--device-root-file", deviceRoot,
            ]
        )
        httpPort = try Self.port(process.output.line(with: "http on"))
        httpsPort = try Self.port(process.output.line(with: "https on"))
    }

    private static func port(_ line: String) throws -> UInt16 {
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw HarnessError(line) }
        return port
    }

    var baseURL: String { "http://127.0.0.1:\(httpPort)/ai-autocomplete" }
    var secureBaseURL: String { "https://127.0.0.1:\(httpsPort)/ai-autocomplete" }

    // MARK: Control

    /// Changes how the provider answers.
    func behave(_ behaviour: JSONValue) throws {
        try control(.put, "/behaviour", behaviour)
    }

    func behaveNormally() throws {
        try control(.delete, "/behaviour")
    }

    func addKey(_ key: String) throws {
        try control(.post, "/keys", ["add": .string(key)])
    }

    func revokeKey(_ key: String = secretKey) throws {
        try control(.post, "/keys", ["revoke": .string(key)])
    }

    /// Ends every token that it has minted, ahead of its time.
    func revokeTokens() throws {
        try control(.post, "/revoke")
    }

    func requests() throws -> Int64 { try count("requests") }
    func mints() throws -> Int64 { try count("mints") }
    func requestsInFlight() throws -> Int64 { try count("in_flight") }

    private func count(_ name: String) throws -> Int64 {
        guard let count = try control(.get, "").integer(name) else { throw HarnessError("no count of \(name)") }
        return count
    }

    @discardableResult
    private func control(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws -> Answer {
        let target = "/control/ai-autocomplete" + path
        let answer = try Connection(port: httpPort).exchange(method, target, body: body?.serialized() ?? [])
        guard answer.status == 200 else { throw HarnessError("control: \(answer.json)") }
        return answer
    }

    // MARK: What the provider's own clients do

    /// The body of a request that needs an access token.
    static let suggestion: [UInt8] = {
        let meta: JSONValue = [
            "request_id": "3f0d7f9e-52f8-4f0e-9a5c-0c8f2a1d6b11", "request_at": "2026-01-02T03:04:05.678Z",
        ]
        let body: JSONValue = ["data": ["raw_query": "lunch", "completed_params": []], "meta": meta]
        return body.serialized()
    }()

    /// - Returns: The status of that request with this token.
    func suggest(_ token: String) throws -> Int {
        try Connection(port: httpPort).exchange(
            .post,
            "/ai-autocomplete/api/suggest",
            headers: [("Content-Type", "application/json"), ("Authorization", "Bearer \(token)")],
            body: Self.suggestion
        ).status
    }
}
