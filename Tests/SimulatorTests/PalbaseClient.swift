import HTTPWire
import JSON
import Simulator

/// A client of Palbase.
struct PalbaseClient {
    static let refreshPath = "/palbase/auth/token/refresh"

    let client: Client

    static func run(_ body: (PalbaseClient) throws -> Void) throws {
        try Client.run { client in try body(PalbaseClient(client: client)) }
    }

    func refresh(
        _ token: String?,
        key: String? = SimulatorOptions.demoPublishableKey,
        headers: [(String, String)] = []
    ) throws -> HTTPClientResponse {
        try client.exchange(.post, Self.refreshPath, Self.headers(key) + headers, body: Self.body(token))
    }

    /// Sends a refresh whose answer is cut off.
    ///
    /// - Returns: How many bytes of the answer came.
    func loseRefresh(_ token: String) throws -> Int {
        let connection = try ClientConnection(port: client.port)
        let headers = Self.headers(SimulatorOptions.demoPublishableKey)
        try connection.send(client.request(.post, Self.refreshPath, headers, body: Self.body(token)))
        return try connection.receiveAll().count
    }

    func todos(_ token: String?, key: String? = SimulatorOptions.demoPublishableKey) throws -> HTTPClientResponse {
        let bearer = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try client.exchange(.get, "/palbase/v1/todos", Self.headers(key) + bearer)
    }

    func behave(_ members: JSONValue) throws {
        try client.behave("palbase", members)
    }

    /// Does what Palbase's part of the control API can do.
    func control(_ action: String, _ members: JSONValue? = nil) throws -> HTTPClientResponse {
        try client.send(.post, "/control/palbase/" + action, members)
    }

    /// How often a refresh token came and how often it brought an access token, by its SHA-256.
    func use(_ digest: String) throws -> JSONValue? {
        try client.report("palbase")["refresh_tokens"]?.array?.first { $0["sha256"] == .string(digest) }
    }

    func revokedFamilies() throws -> Int64? {
        try client.report("palbase")["families_revoked"]?.number?.int64
    }

    private static func headers(_ key: String?) -> [(String, String)] {
        [("Content-Type", "application/json")] + (key.map { [("apikey", $0)] } ?? [])
    }

    private static func body(_ token: String?) -> [UInt8] {
        (token.map { ["refresh_token": .string($0)] } ?? [:] as JSONValue).serialized()
    }
}

extension HTTPClientResponse {
    var accessToken: String? { json["access_token"]?.string }
    var refreshToken: String? { json["refresh_token"]?.string }
}
