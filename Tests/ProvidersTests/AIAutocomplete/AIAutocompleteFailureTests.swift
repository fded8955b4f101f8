import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("AI Autocomplete: failures")
struct AIAutocompleteFailureTests {
    /// An answer, and what it must mean.
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let headers: UpstreamHeaders
        let failureClass: FailureClass
        let code: String?

        init(
            _ status: Int,
            _ body: String,
            headers: UpstreamHeaders = [:],
            _ failureClass: FailureClass,
            code: String? = nil
        ) {
            self.status = status
            self.body = body
            self.headers = headers
            self.failureClass = failureClass
            self.code = code
        }

        var testDescription: String { "\(status) \(body)" }
    }

    static let invalidKey = #"{"error":{"code":"INVALID_SECRET_KEY","message":"The key \#(canary) is invalid"}}"#
    static let refusal = #"{"error":{"code":"NOPE","message":"\#(canary)"}}"#
    static let page = "<html><body>\(canary)</body></html>"
    static let pause: UpstreamHeaders = ["Retry-After": "30"]

    static let refusals = [
        Case(401, invalidKey, .secretRejected, code: "INVALID_SECRET_KEY"),
        Case(401, refusal, .secretRejected, code: "NOPE"),
        Case(401, #"{"error":{}}"#, .secretRejected),
        Case(403, refusal, .secretRejected, code: "NOPE"),
        Case(400, invalidKey, .secretRejected, code: "INVALID_SECRET_KEY"),
        Case(500, invalidKey, .secretRejected, code: "INVALID_SECRET_KEY"),
        Case(402, refusal, .quotaExhausted, code: "NOPE"),
        Case(400, refusal, .requestRejected, code: "NOPE"),
        Case(404, refusal, .requestRejected, code: "NOPE"),
        Case(405, refusal, .requestRejected, code: "NOPE"),
        Case(422, refusal, .requestRejected, code: "NOPE"),
        Case(301, "", .requestRejected),
        Case(308, page, headers: ["Location": "https://elsewhere.example/\(canary)"], .requestRejected),
    ]

    static let pauses = [
        Case(429, refusal, headers: pause, .rateLimited(retryAfter: .seconds(30)), code: "NOPE"),
        Case(429, page, headers: pause, .rateLimited(retryAfter: .seconds(30))),
        Case(429, "", .rateLimited(retryAfter: nil)),
        Case(429, "", headers: ["Retry-After": "-1"], .rateLimited(retryAfter: nil)),
        Case(503, page, headers: pause, .rateLimited(retryAfter: .seconds(30))),
        Case(500, refusal, headers: pause, .rateLimited(retryAfter: .seconds(30)), code: "NOPE"),
    ]

    static let transients = [
        Case(500, refusal, .transient, code: "NOPE"),
        Case(502, page, .transient),
        Case(503, "", .transient),
        Case(599, "", .transient),
        Case(408, refusal, .transient, code: "NOPE"),
        Case(425, "", .transient),
        // A proxy's word is not the provider's.
        Case(401, page, .transient),
        Case(401, "", .transient),
        Case(401, #"{"error":{"code":"INVALID_SEC"#, .transient),
        Case(401, #"{"message":"Unauthorized"}"#, .transient),
        Case(401, #"["error"]"#, .transient),
        Case(403, page, .transient),
        Case(404, page, .transient),
        Case(402, "", .transient),
        Case(407, page, .transient),
        Case(101, "", .transient),
        Case(600, "", .transient),
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
    ].map { Case(200, $0, .transient) }

    @Test("have the class that the answer means, and nothing of its text", arguments: refusals + pauses + transients)
    func classification(_ expected: Case) async throws {
        try await check(expected)
    }

    @Test("are transient when a success cannot be read", arguments: unreadable)
    func unreadableSuccess(_ expected: Case) async throws {
        try await check(expected)
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

    private func check(_ expected: Case) async throws {
        let failure = try await failure(FakeSender(expected.status, expected.body, headers: expected.headers))
        #expect(failure.failureClass == expected.failureClass)
        #expect(failure.providerCode == expected.code)
        #expect(failure.providerStatus == expected.status)
        #expect(!failure.detail.isEmpty)
        #expect(!String(reflecting: failure).contains(canary))
    }

    private func failure(_ sender: FakeSender) async throws -> MintFailure {
        let failure = await #expect(throws: MintFailure.self) { try await mint(sender) }
        return try #require(failure)
    }
}
