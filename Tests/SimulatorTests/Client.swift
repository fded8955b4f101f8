import HTTPWire
import JSON
import Simulator

/// What a client of AI Autocomplete and a writer of tests do, one connection a request.
struct Client {
    static let product = "0b9f6f0e-1d2c-4c59-9a6e-3f1f0f6f2a77"
    static let meta: JSONValue = [
        "request_id": "3f0d7f9e-52f8-4f0e-9a5c-0c8f2a1d6b11", "request_at": "2026-01-02T03:04:05.678Z",
    ]

    let port: UInt16

    /// Starts a simulator for the time of a test.
    static func run(_ options: SimulatorOptions = SimulatorOptions(), _ body: (Client) throws -> Void) throws {
        let simulator = try Simulator(options)
        defer { simulator.stop() }
        try body(Client(port: simulator.httpPort))
    }

    func send(
        _ method: HTTPMethod,
        _ path: String,
        bearer: String? = nil,
        contentType: String = "application/json",
        _ body: JSONValue? = nil
    ) throws -> HTTPClientResponse {
        let connection = try ClientConnection(port: port)
        try connection.send(encode(method, path, bearer: bearer, contentType: contentType, body))
        return try connection.receive()
    }

    func encode(
        _ method: HTTPMethod,
        _ path: String,
        bearer: String? = nil,
        contentType: String = "application/json",
        _ body: JSONValue? = nil
    ) throws -> [UInt8] {
        var headers = [try HeaderField("Content-Type", contentType)]
        if let bearer { headers.append(try HeaderField("Authorization", "Bearer \(bearer)")) }
        return try HTTPClientRequest(method, path, headers: headers, body: body?.serialized() ?? []).encoded()
    }
}

// MARK: - AI Autocomplete

extension Client {
    static let tokenPath = "/ai-autocomplete/api/auth/token"

    func mint(_ key: String = SimulatorOptions.demoSecretKey, product: String = product) throws -> HTTPClientResponse {
        try send(.post, Self.tokenPath, bearer: key, ["product_id": .string(product)])
    }

    func mintedToken() throws -> String {
        guard let token = try mint().json["access_token"]?.string else { throw ClientError(description: "no token") }
        return token
    }

    func suggest(_ credential: String?, meta: JSONValue = meta) throws -> HTTPClientResponse {
        let body: JSONValue = ["data": ["raw_query": "lunch", "completed_params": []], "meta": meta]
        return try send(.post, "/ai-autocomplete/api/suggest", bearer: credential, body)
    }
}

// MARK: - Control

extension Client {
    @discardableResult
    func behave(_ members: JSONValue) throws -> HTTPClientResponse {
        try send(.put, "/control/ai-autocomplete/behaviour", members)
    }

    func report() throws -> JSONValue {
        try send(.get, "/control/ai-autocomplete").json
    }

    func count(_ name: String) throws -> Int64? {
        try report()[name]?.number?.int64
    }

    /// Asks until a count is what it should become. Each question is a round trip through the simulator's loop, so
    /// that an event the kernel has already reported is handled long before they run out.
    func waits(for name: String, toBe value: Int64) throws -> Bool {
        for _ in 0..<1000 where try count(name) == value { return true }
        return false
    }
}

extension HTTPClientResponse {
    /// The body; null where it is not a JSON document.
    var json: JSONValue {
        (try? JSONValue(parsing: body)) ?? .null
    }

    var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
