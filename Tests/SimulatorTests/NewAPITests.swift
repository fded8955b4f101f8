import Glibc
import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("new-api", .blocking)
struct NewAPITests {
    /// SHA-256 of the worked body.
    private let digest = "d697e3e06172c79741414dc46125d00ecd425410382fe250f0a3c154fc0d90f3"

    @Test("takes the signature that was worked out elsewhere, and none of its near misses")
    func workedValue() throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.control("keys", ["add": "sk-AbC123"]).status == 200)
            try api.behave(["signature_window_seconds": 10_000_000_000])
            func complete(_ signature: String) throws -> HTTPClientResponse {
                let headers = [
                    ("Authorization", "Bearer sk-AbC123"), ("X-Bundle-Id", "com.example.app"),
                    ("X-Device-Id", NewAPIClient.device), ("X-Timestamp", "1700000000"),
                    ("X-Nonce", NewAPIClient.nonce), ("X-Signature", signature),
                ]
                let path = "/new-api/v1/chat/completions"
                return try api.client.exchange(.post, path, headers, body: NewAPIClient.body)
            }
            // The key as hexadecimal text; the message without line ends; no padding.
            for wrong in [
                "ytFnnlXf66AKT6svTU5s6OjcGXXpROm3f9zupZKHabE=", "my+IBmTHZ6QcdZOCNZxx1zut6Ja3biJPU9cDW+B19Jo=",
                "D5xqFflqL6XhAhP0oi/WupziWkqO2PmrrZgFsAGcCjA",
            ] {
                #expect(try complete(wrong).errorCode == "invalid_signature")
            }
            let response = try complete("D5xqFflqL6XhAhP0oi/WupziWkqO2PmrrZgFsAGcCjA=")
            #expect(response.status == 200)
            #expect(response.json["choices"]?.array?.first?["message"]?["content"] == .string(digest))
        }
    }

    @Test("a GET is signed over the digest of nothing")
    func models() throws {
        try NewAPIClient.run { (api) throws in
            let response = try api.models(NewAPIClient.Signing().headers(for: []))
            #expect(response.status == 200)
            #expect(response.json["data"]?.array?.isEmpty == false)
            #expect(try api.client.report("new-api")["verdicts"] == ["signed": 1])
        }
    }

    @Test("a completion can come as a stream of events")
    func stream() throws {
        try NewAPIClient.run { (api) throws in
            let response = try api.complete(body: Array(#"{"model":"m","stream":true}"#.utf8))
            #expect(response.status == 200)
            #expect(response.headers.first("Content-Type") == "text/event-stream")
            let events = response.text.split(separator: "\n\n")
            #expect(events.count == 3)
            #expect(events.allSatisfy { $0.hasPrefix("data: ") })
            #expect(events.last == "data: [DONE]")
            let first = try JSONValue(parsing: Array(try #require(events.first).utf8.dropFirst(6)))
            #expect(first["choices"]?.array?.first?["delta"]?["content"]?.string?.count == 64)
        }
    }

    @Test(
        "a signature's field that is missing or wrong is told by its code",
        arguments: [
            ("X-Bundle-Id", "missing_bundle_id"), ("X-Device-Id", "missing_device_id"),
            ("X-Timestamp", "invalid_signature"), ("X-Nonce", "invalid_signature"),
            ("X-Signature", "invalid_signature"), ("Authorization", ""),
        ]
    )
    func missingField(_ field: String, _ code: String) throws {
        try NewAPIClient.run { (api) throws in
            var signing = NewAPIClient.Signing()
            signing.omitted = field
            let response = try api.complete(signing)
            #expect(response.status == 401)
            #expect(response.errorCode == .string(code))
        }
    }

    @Test("another body, key text or nonce than was signed is refused")
    func wrongSignature() throws {
        try NewAPIClient.run { (api) throws in
            for signing in [
                NewAPIClient.Signing(body: []), NewAPIClient.Signing(keyText: "sk-other"),
                NewAPIClient.Signing(nonce: "no-uuid"),
            ] {
                #expect(try api.complete(signing).errorCode == "invalid_signature")
            }
            #expect(try api.client.report("new-api")["verdicts"] == ["invalid_signature": 3])
            #expect(try api.client.count("refused", "new-api") == 3)
        }
    }

    @Test("a timestamp may be five minutes off either way, or what it is told", arguments: [-1, 1] as [Int64])
    func timestamp(_ direction: Int64) throws {
        try NewAPIClient.run { (api) throws in
            // Away from the bound by more than any pause of a test.
            try api.behave(["clock_skew_seconds": .number(JSONNumber(direction * 200))])
            #expect(try api.complete().status == 200)
            try api.behave(["clock_skew_seconds": .number(JSONNumber(direction * 400))])
            let refused = try api.complete()
            #expect(refused.status == 401)
            #expect(refused.errorCode == "invalid_signature")
            #expect(try api.client.report("new-api")["verdicts"]?["stale_timestamp"] == 1)
            try api.behave(["signature_window_seconds": 500])
            #expect(try api.complete(NewAPIClient.Signing(nonce: otherNonce)).status == 200)
        }
    }

    @Test(
        "what is no timestamp is refused",
        arguments: ["", "1e9", "-1", "99999999999999999999", "9223372036854775807"]
    )
    func malformedTimestamp(_ timestamp: String) throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.complete(NewAPIClient.Signing(timestamp: timestamp)).status == 401)
        }
    }

    @Test("a timestamp can be taken for milliseconds, and then not for seconds")
    func milliseconds() throws {
        try NewAPIClient.run { (api) throws in
            let signing = NewAPIClient.Signing(timestamp: String(time(nil) * 1000))
            #expect(try api.complete(signing).status == 401)
            try api.behave(["timestamp": "milliseconds"])
            #expect(try api.complete(signing).status == 200)
            #expect(try api.complete(NewAPIClient.Signing(nonce: otherNonce)).status == 401)
        }
    }

    @Test("the key's text can be taken without its prefix, and then not with it")
    func keyText() throws {
        try NewAPIClient.run { (api) throws in
            let text = String(SimulatorOptions.demoRelayKey.dropFirst(3))
            #expect(try api.complete(NewAPIClient.Signing(keyText: text)).status == 401)
            try api.behave(["key_text": "without-prefix"])
            #expect(try api.complete(NewAPIClient.Signing(keyText: text)).status == 200)
            #expect(try api.complete(NewAPIClient.Signing(nonce: otherNonce)).status == 401)
        }
    }

    @Test("a nonce is good once for its key, while its timestamp is")
    func nonce() throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.control("keys", ["add": "sk-other"]).status == 200)
            // What was refused has not used up the nonce.
            #expect(try api.complete(NewAPIClient.Signing(body: [])).status == 401)
            #expect(try api.complete().status == 200)
            #expect(try api.complete().errorCode == "invalid_signature")
            #expect(try api.client.report("new-api")["verdicts"]?["repeated_nonce"] == 1)
            #expect(try api.complete(NewAPIClient.Signing(key: "sk-other")).status == 200)
            try api.behave(["clock_skew_seconds": 1000])
            #expect(try api.complete(NewAPIClient.Signing(timestamp: String(time(nil) + 1000))).status == 200)
        }
    }

    private let otherNonce = "FFFFFFFF-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
}
