import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("AI Autocomplete: failures")
struct AIAutocompleteFailureTests {
    static let invalidKey = #"{"error":{"code":"INVALID_SECRET_KEY","message":"The key \#(canary) is invalid"}}"#
    static let refusal = #"{"error":{"code":"NOPE","message":"\#(canary)"}}"#
    static let page = "<html><body>\(canary)</body></html>"

    static let refusals = [
        Fault(401, invalidKey, .secretRejected, code: "INVALID_SECRET_KEY"),
        Fault(401, refusal, .secretRejected, code: "NOPE"),
        Fault(401, #"{"error":{}}"#, .secretRejected),
        Fault(403, refusal, .secretRejected, code: "NOPE"),
        Fault(400, invalidKey, .secretRejected, code: "INVALID_SECRET_KEY"),
        Fault(500, invalidKey, .secretRejected, code: "INVALID_SECRET_KEY"),
        Fault(402, refusal, .quotaExhausted, code: "NOPE"),
        Fault(400, refusal, .requestRejected, code: "NOPE"),
        Fault(404, refusal, .requestRejected, code: "NOPE"),
        Fault(405, refusal, .requestRejected, code: "NOPE"),
        Fault(422, refusal, .requestRejected, code: "NOPE"),
        Fault(301, "", .requestRejected),
        Fault(308, page, headers: ["Location": "https://elsewhere.example/\(canary)"], .requestRejected),
    ]

    static let pauses = [
        Fault(429, refusal, headers: Fault.pause, .rateLimited, code: "NOPE"),
        Fault(429, page, headers: Fault.pause, .rateLimited),
        Fault(429, "", .rateLimited),
        Fault(429, "", headers: ["Retry-After": "-1"], .rateLimited),
        Fault(503, page, headers: Fault.pause, .transient),
        Fault(401, refusal, headers: Fault.pause, .secretRejected, code: "NOPE"),
        Fault(402, refusal, headers: Fault.pause, .quotaExhausted, code: "NOPE"),
        Fault(404, refusal, headers: Fault.pause, .requestRejected, code: "NOPE"),
        Fault(500, refusal, headers: Fault.pause, .transient, code: "NOPE"),
    ]

    static let transients = [
        Fault(500, refusal, .transient, code: "NOPE"),
        Fault(502, page, .transient),
        Fault(503, "", .transient),
        Fault(599, "", .transient),
        Fault(408, refusal, .transient, code: "NOPE"),
        Fault(425, "", .transient),
        // A proxy's word is not the provider's.
        Fault(401, page, .transient),
        Fault(401, "", .transient),
        Fault(401, #"{"error":{"code":"INVALID_SEC"#, .transient),
        Fault(401, #"{"message":"Unauthorized"}"#, .transient),
        Fault(401, #"["error"]"#, .transient),
        Fault(403, page, .transient),
        Fault(404, page, .transient),
        Fault(402, "", .transient),
        Fault(407, page, .transient),
        Fault(101, "", .transient),
        Fault(600, "", .transient),
    ]

    static let unreadable = [
        "", "{", "[]", "null", "\"at_v1_a\"", page, "{}", #"{"access_token":null}"#, #"{"access_token":""}"#,
        #"{"access_token":7}"#, #"{"access_token":"a b"}"#, #"{"access_token":"a\n"}"#, #"{"access_token":"ä"}"#,
        #"{"access_token":"a","access_token":"b"}"#, #"{"access_token":"a"} x"#, #"{"accessToken":"a"}"#,
        #"{"access_token":"a","token_type":"mac"}"#, #"{"access_token":"a","token_type":1}"#,
        #"{"access_token":"a","expires_at":"soon"}"#, #"{"access_token":"a","expires_at":""}"#,
        #"{"access_token":"a","expires_at":true}"#, #"{"access_token":"a","expires_at":[1]}"#,
        #"{"access_token":"a","expires_at":{}}"#, #"{"access_token":"a","expires_at":" 1775464738"}"#,
        #"{"access_token":"a","expires_at":"2026-07-17T12:34:56Z"}"#,
        #"{"access_token":"\#(String(repeating: "a", count: 16385))"}"#,
    ].map { Fault(200, $0, .transient) }

    @Test("have the class that the answer means, and nothing of its text", arguments: refusals + pauses + transients)
    func classification(_ fault: Fault) async throws {
        try await fault.check(withholding: [canary]) { try await mint($0) }
    }

    @Test("are transient when a success cannot be read", arguments: unreadable)
    func unreadableSuccess(_ fault: Fault) async throws {
        try await fault.check(withholding: [canary]) { try await mint($0) }
    }

    @Test("are transient when the body is not UTF-8")
    func notUTF8() async throws {
        let response = UpstreamResponse(
            status: 401,
            body: Array(#"{"error":{"code":""#.utf8) + [0xFF] + Array(#""}}"#.utf8),
            requestedAt: FakeSender.requestedAt,
            receivedAt: FakeSender.requestedAt.wall
        )
        #expect(try await failure(FakeSender(.success(response))).failureClass == .transient)
    }

    @Test(
        "keep a code or request id only where it is short, plain and not the key itself",
        arguments: [
            ("A_b-1.2:3", "A_b-1.2:3"), (String(repeating: "a", count: 128), String(repeating: "a", count: 128)),
            (String(repeating: "a", count: 129), nil), ("", nil), ("a b", nil), ("a\\nb", nil), ("ä", nil),
            ("<b>", nil), ("x-\(canary)-x", nil),
        ] as [(String, String?)]
    )
    func identifiers(text: String, expected: String?) async throws {
        let body = #"{"error":{"code":"\#(text)"}}"#
        let failure = try await failure(FakeSender(404, body, headers: ["x-request-id": text]))
        #expect(failure.providerCode == expected)
        #expect(failure.providerRequestID == expected)
    }

    @Test(
        "come from the network with the class that decides about a retry",
        arguments: UpstreamFailure.Code.allCases
    )
    func network(code: UpstreamFailure.Code) async throws {
        let failure = try await failure(FakeSender(.failure(UpstreamFailure(code, "host: what happened"))))
        let expected: FailureClass =
            switch code {
            case .tlsUntrusted, .trustFileUnreadable: .untrusted
            case .invalidRequest: .requestRejected
            default: .transient
            }
        #expect(failure.failureClass == expected)
        #expect(failure.detail.contains("host: what happened"))
        #expect(failure.providerStatus == nil)
    }

    private func failure(_ sender: FakeSender) async throws -> MintFailure {
        let failure = await #expect(throws: MintFailure.self) { try await mint(sender) }
        return try #require(failure)
    }
}
