import HTTPWire
import JSON
import Simulator

/// What a client of Roadie and a writer of tests do, one connection a request.
struct RoadieClient {
    static let secretKey = "rd_sk_test_demo"
    static let publishableKey = "rd_pk_test_demo"
    static let tokenPath = "/v1/client-tokens"
    static let minimalBody: JSONValue = ["end_user": ["id": "user-1"]]

    let port: UInt16

    static func run(
        _ options: SimulatorOptions = SimulatorOptions(),
        _ body: (RoadieClient) throws -> Void
    ) throws {
        let simulator = try Simulator(options)
        defer { simulator.stop() }
        try body(RoadieClient(port: simulator.httpPort))
    }

    /// - Parameter path: Below the provider's prefix.
    func send(
        _ method: HTTPMethod,
        _ path: String,
        bearer: String?,
        _ body: JSONValue? = nil
    ) throws -> HTTPClientResponse {
        try Client(port: port).send(method, "/roadie" + path, bearer: bearer, body)
    }

    func mint(_ body: JSONValue = minimalBody, key: String? = secretKey) throws -> HTTPClientResponse {
        try send(.post, Self.tokenPath, bearer: key, body)
    }

    func token(_ body: JSONValue = minimalBody) throws -> String {
        guard let token = try mint(body).json["token"]?.string else { throw ClientError(description: "no token") }
        return token
    }

    func chat(_ credential: String?) throws -> HTTPClientResponse {
        try send(.post, "/openai/v1/chat/completions", bearer: credential, ["model": "gpt-5"])
    }

    @discardableResult
    func control(_ action: String, _ members: JSONValue? = nil) throws -> HTTPClientResponse {
        try Client(port: port).send(.post, "/control/roadie/\(action)", members)
    }

    @discardableResult
    func behave(_ members: JSONValue) throws -> HTTPClientResponse {
        try Client(port: port).send(.put, "/control/roadie/behaviour", members)
    }

    /// What was counted at one path: `mints`.
    func count(_ name: String, at path: String = tokenPath) throws -> Int64? {
        try report()["by_path"]?[path]?[name]?.number?.int64
    }

    func report() throws -> JSONValue {
        try Client(port: port).send(.get, "/control/roadie").json
    }
}

extension HTTPClientResponse {
    /// The kind of the error in the envelope.
    var errorType: String? {
        json["error"]?["type"]?.string
    }
}
