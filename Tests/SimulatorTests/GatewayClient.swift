import HTTPWire
import JSON
import Simulator

/// What a client of App AI Gateway and a writer of tests do, one connection a request.
struct GatewayClient {
    enum App: String, CaseIterable {
        case none = "example-none-a1b2c3"
        case header = "example-header-a1b2c3"
        case issuer = "example-issuer-a1b2c3"

        /// The path of the app's endpoint, below the provider's.
        func path(_ rest: String) -> String {
            "/v1/apps/\(rawValue)/\(rest)"
        }
    }

    let port: UInt16

    static func run(
        _ options: SimulatorOptions = SimulatorOptions(),
        _ body: (GatewayClient) throws -> Void
    ) throws {
        let simulator = try Simulator(options)
        defer { simulator.stop() }
        try body(GatewayClient(port: simulator.httpPort))
    }

    func send(
        _ method: HTTPMethod,
        _ app: App,
        _ path: String,
        _ headers: [String: String] = [:],
        body: [UInt8] = []
    ) throws -> HTTPClientResponse {
        try send(method, app.path(path), headers, body: body)
    }

    /// - Parameter path: Below the provider's prefix.
    func send(
        _ method: HTTPMethod,
        _ path: String,
        _ headers: [String: String] = [:],
        body: [UInt8] = []
    ) throws -> HTTPClientResponse {
        let fields = try headers.map { try HeaderField($0.key, $0.value) }
        let connection = try ClientConnection(port: port)
        try connection.send(
            HTTPClientRequest(method, "/app-ai-gateway" + path, headers: fields, body: body).encoded()
        )
        return try connection.receive()
    }
}

// MARK: - Exchange

extension GatewayClient {
    static let tokenPath = App.issuer.path("auth/token")

    /// A token of an issuer, which nobody has signed.
    static func issuerToken(_ claims: JSONValue) -> String {
        ["{\"alg\":\"ES256\",\"kid\":\"k\"}", String(decoding: claims.serialized(), as: UTF8.self), "signature"]
            .map { base64URL(Array($0.utf8)) }
            .joined(separator: ".")
    }

    static func issuerToken(for user: String) -> String {
        issuerToken(["sub": .string(user), "exp": 32_503_680_000])
    }

    func exchange(_ app: App = .issuer, body: JSONValue) throws -> HTTPClientResponse {
        try send(.post, app, "auth/token", body: body.serialized())
    }

    func exchange(key: String, issuerToken: String) throws -> HTTPClientResponse {
        try exchange(body: ["api_key": .string(key), "issuer_token": .string(issuerToken)])
    }

    func exchange(for user: String = "user-1") throws -> HTTPClientResponse {
        try exchange(key: key(of: .issuer), issuerToken: Self.issuerToken(for: user))
    }

    func token(for user: String = "user-1") throws -> String {
        guard let token = try exchange(for: user).json["access_token"]?.string else {
            throw ClientError(description: "no token")
        }
        return token
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let bits = bytes.map { String(repeating: "0", count: $0.leadingZeroBitCount % 8) + binary($0) }.joined()
        return stride(from: 0, to: bits.count, by: 6).map { start in
            let part = bits.dropFirst(start).prefix(6)
            let index = Int(part + String(repeating: "0", count: 6 - part.count), radix: 2) ?? 0
            return String(letters[index])
        }.joined()
    }

    private static func binary(_ byte: UInt8) -> String {
        byte == 0 ? "00000000" : String(byte, radix: 2)
    }
}

// MARK: - Control

extension GatewayClient {
    @discardableResult
    func control(_ action: String, _ members: JSONValue? = nil) throws -> HTTPClientResponse {
        try Client(port: port).send(.post, "/control/app-ai-gateway/\(action)", members)
    }

    @discardableResult
    func behave(_ members: JSONValue) throws -> HTTPClientResponse {
        try Client(port: port).send(.put, "/control/app-ai-gateway/behaviour", members)
    }

    /// A key of an app, as the control API lists them.
    func key(of app: App, _ index: Int = 0) throws -> String {
        let keys = try control("keys").json["keys"]?.array?.filter { $0["app"] == .string(app.rawValue) } ?? []
        guard keys.indices.contains(index), let key = keys[index]["key"]?.string else {
            throw ClientError(description: "no key")
        }
        return key
    }

    /// What was counted at one path: `mints`.
    func count(_ name: String, at path: String = tokenPath) throws -> Int64? {
        try Client(port: port).send(.get, "/control/app-ai-gateway").json["by_path"]?[path]?[name]?.number?.int64
    }
}

extension HTTPClientResponse {
    /// The status and the code of the envelope that providers say errors in.
    var refusal: String {
        "\(status) \(json["error"]?["code"]?.string ?? "-")"
    }
}
