import HTTPWire
import JSON

@testable import TokenBrokerClient

extension HTTPClientResponse {
    /// An answer as it is read from a connection.
    static func answer(_ status: Int, _ body: String = "") -> HTTPClientResponse {
        let bytes = Array("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        var parser = ResponseParser()
        var position = 0
        guard case .response(let response) = bytes.withUnsafeBytes({ parser.next($0, &position) }) else {
            preconditionFailure("not an answer")
        }
        return response
    }

    static func json(_ status: Int, _ document: JSONValue) -> HTTPClientResponse {
        answer(status, String(decoding: document.serialized(), as: UTF8.self))
    }

    /// A token that is minted when a ``ManualClock`` starts.
    ///
    /// - Parameters:
    ///   - lifetime: from then on, in seconds.
    ///   - refresh: likewise.
    static func token(
        _ generation: Int64,
        lifetime: Int64? = 100,
        refresh: Int64? = 70,
        isDegraded: Bool = false
    ) -> HTTPClientResponse {
        let start = ManualClock.start.components.seconds
        func time(_ offset: Int64?, _ factor: Int64 = 1) -> JSONValue {
            offset.map { .number(JSONNumber((start + $0) * factor)) } ?? .null
        }
        return json(
            200,
            [
                "name": "web", "access_token": .string("at_v1_\(generation)"), "token_type": "Bearer",
                "expires_at": time(lifetime), "expires_at_ms": time(lifetime, 1000),
                "expires_in": lifetime.map { .number(JSONNumber($0)) } ?? .null, "refresh_at": time(refresh),
                "generation": .number(JSONNumber(generation)), "degraded": .bool(isDegraded),
            ]
        )
    }

    static func problem(_ status: Int, _ code: String, _ members: [(String, JSONValue)] = []) -> HTTPClientResponse {
        var document: JSONObject = ["code": .string(code), "detail": "the detail"]
        for (name, value) in members { document[name] = value }
        return json(status, .object(document))
    }
}

extension ScriptedTransport.Step {
    static func token(
        _ generation: Int64,
        lifetime: Int64? = 100,
        refresh: Int64? = 70,
        isDegraded: Bool = false
    ) -> Self {
        .answer(.token(generation, lifetime: lifetime, refresh: refresh, isDegraded: isDegraded))
    }

    static func problem(_ status: Int, _ code: String, _ members: (String, JSONValue)...) -> Self {
        .answer(.problem(status, code, members))
    }
}

/// A client with a broker, clocks and chance that the test has in its hands.
struct World {
    let clock = ManualClock()
    let broker: ScriptedTransport
    let client: TokenBrokerClient

    /// Pauses are not cut: each has its full length.
    init(_ steps: ScriptedTransport.Step...) {
        broker = ScriptedTransport(steps)
        client = TokenBrokerClient(
            line: BrokerLine(path: "/s", transport: broker, clock: clock, jitter: Jitter { $0 }),
            patience: .seconds(10)
        )
    }
}

/// The error that an expression throws, where it is the client's.
func failure<Value>(of body: () async throws -> Value) async -> TokenBrokerError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? TokenBrokerError
    }
}
