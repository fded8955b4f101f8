import Glibc
import HTTPWire
import JSON

@testable import Simulator

/// A client of new-api, which signs as NewAPIKit does.
struct NewAPIClient {
    static let device = "11111111-2222-3333-4444-555555555555"
    static let nonce = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
    static let body = Array(#"{"model":"gemini-3-flash"}"#.utf8)

    let client: Client

    static func run(_ body: (NewAPIClient) throws -> Void) throws {
        try Client.run { client in try body(NewAPIClient(client: client)) }
    }

    /// What a request is signed with.
    struct Signing {
        var key = SimulatorOptions.demoRelayKey
        /// What of the key goes into the signature; nil for all of it.
        var keyText: String?
        var bundle = "com.example.app"
        var timestamp = String(time(nil))
        var nonce = NewAPIClient.nonce
        /// What is signed; nil for what is sent.
        var body: [UInt8]?
        var omitted = ""

        func headers(for sent: [UInt8]) -> [(String, String)] {
            let key = Digest.sha256(Array(((keyText ?? self.key) + bundle + NewAPIClient.device).utf8))
            let message = [timestamp, nonce, Digest.sha256(body ?? sent).hexadecimal].joined(separator: "\n")
            return [
                ("Authorization", "Bearer \(self.key)"), ("X-Bundle-Id", bundle), ("X-Device-Id", NewAPIClient.device),
                ("X-Timestamp", timestamp), ("X-Nonce", nonce),
                ("X-Signature", Base64.encoded(Digest.authenticationCode(key: key, of: Array(message.utf8)))),
            ].filter { $0.0 != omitted }
        }
    }

    func complete(_ signing: Signing = Signing(), body: [UInt8] = body) throws -> HTTPClientResponse {
        try client.exchange(.post, "/new-api/v1/chat/completions", signing.headers(for: body), body: body)
    }

    func models(_ headers: [(String, String)]) throws -> HTTPClientResponse {
        try client.exchange(.get, "/new-api/v1/models", headers)
    }

    func behave(_ members: JSONValue) throws {
        try client.behave("new-api", members)
    }

    func control(_ action: String, _ members: JSONValue) throws -> HTTPClientResponse {
        try client.send(.post, "/control/new-api/" + action, members)
    }
}

extension HTTPClientResponse {
    var errorCode: JSONValue? { json["error"]?["code"] }
}
