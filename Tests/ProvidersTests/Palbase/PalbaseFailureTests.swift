import Synchronization
import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("Palbase: failures of a refresh")
struct PalbaseFailureTests {
    /// What a broker takes a failure for, as shown by what it does next.
    enum Consequence: Sendable {
        /// The token is spent as if for the first time.
        case unspent
        /// It is repeated within the grace, and then not before the access token has ended.
        case unknown
        case lost
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        var headers: UpstreamHeaders = [:]
        let failureClass: FailureClass
        let consequence: Consequence

        init(
            _ status: Int,
            _ body: String,
            headers: UpstreamHeaders = [:],
            _ failureClass: FailureClass,
            _ consequence: Consequence
        ) {
            self.status = status
            self.body = body
            self.headers = headers
            self.failureClass = failureClass
            self.consequence = consequence
        }

        var testDescription: String { "\(status) \(body)" }
    }

    private static func refusal(_ code: String) -> String {
        #"{"error":"\#(code)","error_description":"\#(canary)","status":0,"request_id":"req_1"}"#
    }

    private static let page = "<html><body>\(canary)</body></html>"
    private static let pause: UpstreamHeaders = ["Retry-After": "30"]

    static let cases = [
        Case(401, refusal("missing_api_key"), .secretRejected, .unspent),
        Case(401, refusal("invalid_api_key"), .secretRejected, .unspent),
        Case(401, refusal("revoked_api_key"), .secretRejected, .unspent),
        Case(401, refusal("something_else"), .secretRejected, .unspent),
        Case(403, refusal("forbidden"), .secretRejected, .unspent),
        Case(401, refusal("invalid_token"), .sessionLost, .lost),
        Case(401, refusal("token_expired"), .sessionLost, .lost),
        Case(401, refusal("token_reuse"), .sessionLost, .lost),
        Case(401, refusal("session_revoked"), .sessionLost, .lost),
        Case(403, refusal("session_revoked"), .sessionLost, .lost),
        Case(400, refusal("invalid_request"), .requestRejected, .unspent),
        Case(404, refusal("not_found"), .requestRejected, .unspent),
        Case(409, refusal("conflict"), .requestRejected, .unspent),
        Case(429, refusal("rate_limit_exceeded"), headers: pause, .rateLimited, .unspent),
        Case(429, page, .rateLimited, .unspent),
        // "Not yet" comes with any status.
        Case(409, refusal("wake_in_progress"), .transient, .unspent),
        Case(409, refusal("cutover_in_progress"), .transient, .unspent),
        Case(503, refusal("no_admitting_cell"), .transient, .unspent),
        Case(503, refusal("tenant_unreachable"), headers: pause, .transient, .unspent),
        Case(429, refusal("wake_in_progress"), headers: pause, .rateLimited, .unspent),
        Case(408, refusal("timeout"), .transient, .unknown),
        Case(425, "", .transient, .unknown),
        Case(500, refusal("internal_error"), .transient, .unknown),
        Case(500, refusal("invalid_token"), .transient, .unknown),
        Case(502, page, .transient, .unknown),
        Case(503, page, headers: pause, .transient, .unknown),
        Case(301, "", .requestRejected, .unknown),
        Case(307, page, headers: ["Location": "https://elsewhere.example"], .requestRejected, .unknown),
        // A proxy's word is not the provider's.
        Case(401, page, .transient, .unknown),
        Case(401, #"{"error":{"code":"invalid_token"}}"#, .transient, .unknown),
        Case(401, #"{"error":"inval"#, .transient, .unknown),
        Case(403, "", .transient, .unknown),
        Case(404, page, .transient, .unknown),
        Case(409, "", .transient, .unknown),
    ]

    static let unreadable = [
        "", "{", "[]", "null", page, "{}", #"{"access_token":"a","expires_in":1800}"#,
        #"{"access_token":"a","refresh_token":null,"expires_in":1800}"#,
        #"{"access_token":"a","refresh_token":7,"expires_in":1800}"#,
        #"{"access_token":"a","refresh_token":"","expires_in":1800}"#,
        #"{"access_token":"a","refresh_token":"b c","expires_in":1800}"#,
        #"{"access_token":"a","refresh_token":"b","refresh_token":"c"}"#,
    ].map { Case(200, $0, .transient, .unknown) }

    @Test("have the class that the answer means, and spend a refresh token only where they can", arguments: cases)
    func refusals(_ expected: Case) async throws {
        try await check(expected)
    }

    @Test("leave it open whether the token is spent when a success cannot be read", arguments: unreadable)
    func unreadableSuccess(_ expected: Case) async throws {
        try await check(expected)
    }

    private func check(_ expected: Case) async throws {
        let world = PalbaseWorld()
        _ = try await world.broker().mint()
        let answer = FakeSender(expected.status, expected.body, headers: expected.headers)
        let failure = try #require(await world.broker(sender: answer).failure())
        #expect(failure.failureClass == expected.failureClass)
        #expect(failure.askedPause == (expected.headers["Retry-After"] == nil ? nil : .seconds(30)))
        #expect(failure.providerStatus == expected.status)
        #expect(!failure.detail.isEmpty)
        #expect(!String(reflecting: failure).contains(canary))
        try await check(expected.consequence, world, answer)
    }

    private func check(_ consequence: Consequence, _ world: PalbaseWorld, _ answer: FakeSender) async throws {
        let key = try #require(answer.requests.first?.text("Idempotency-Key"))
        // Past the grace, and before the access token's end.
        world.clock.advance(by: .seconds(40))
        let next = FakeSender(500, "")
        let failure = try #require(await world.broker(sender: next).failure())
        switch consequence {
        case .unspent:
            #expect(next.requests.count == 1)
            #expect(next.requests.first?.text("Idempotency-Key") != key)
        case .unknown:
            #expect(next.requests.isEmpty)
            #expect(failure.failureClass == .transient)
            world.clock.advance(by: .seconds(1760))
            _ = await world.broker(sender: next).failure()
            #expect(next.requests.first?.text("Idempotency-Key") == key)
        case .lost:
            #expect(next.requests.isEmpty)
            #expect(failure.failureClass == .sessionLost)
        }
    }

    @Test(
        "come from the network with the class that decides about a retry",
        arguments: UpstreamFailure.Code.allCases,
        [false, true]
    )
    func network(code: UpstreamFailure.Code, wasSent: Bool) async throws {
        let world = PalbaseWorld()
        _ = try await world.broker().mint()
        let sender = FakeSender(.failure(UpstreamFailure(code, "host: what happened", requestMayHaveBeenSent: wasSent)))
        let failure = try #require(await world.broker(sender: sender).failure())
        let expected: FailureClass =
            switch code {
            case .tlsUntrusted, .trustFileUnreadable: .untrusted
            case .invalidRequest: .requestRejected
            default: .transient
            }
        #expect(failure.failureClass == expected)
        try await check(wasSent ? .unknown : .unspent, world, sender)
    }

    @Test("do not make a token unspent that an earlier sending may have spent")
    func refusedRepetition() async throws {
        for later in [FakeSender(429, ""), FakeSender(.failure(UpstreamFailure(.couldNotConnect, "host: refused")))] {
            let world = PalbaseWorld()
            _ = try await world.broker().mint()
            let lost = FakeSender(.failure(UpstreamFailure(.timedOut, "host: late", requestMayHaveBeenSent: true)))
            _ = await world.broker(sender: lost).failure()
            world.clock.advance(by: .seconds(5))
            _ = await world.broker(sender: later).failure()
            #expect(later.requests.count == 1, "it is repeated within the grace")
            try await check(.unknown, world, lost)
        }
    }

    @Test(
        "keep the successor of an answer whose access token is of no use",
        arguments: [
            #""access_token":null"#, #""access_token":"a b""#, #""access_token":"a","token_type":"mac""#,
            #""access_token":"a","expires_in":"soon""#, #""access_token":"a","expires_in":[1]"#, #""expires_in":1800"#,
        ]
    )
    func unusableToken(members: String) async throws {
        let world = PalbaseWorld()
        let sender = FakeSender(200, #"{"refresh_token":"next",\#(members)}"#)
        #expect(await world.broker(sender: sender).failure()?.failureClass == .transient)
        let next = FakeSender(500, "")
        _ = await world.broker(sender: next).failure()
        #expect(next.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"refresh_token":"next"}"#])
    }

    @Test(
        "are none where a lifetime is told in another way",
        arguments: [
            (#","expires_in":"1800""#, .after(.seconds(1800))), (#","expires_in":1.8e3"#, .after(.seconds(1800))),
            (#","expires_in":0"#, .after(.zero)), (#","expires_in":-5"#, .after(.seconds(-5))), ("", .unstated),
            (#","expires_in":null"#, .unstated), (#","expires_in":1e400"#, .after(.milliseconds(Int64.max))),
        ] as [(String, StatedExpiry)]
    )
    func lifetimes(member: String, expected: StatedExpiry) async throws {
        let world = PalbaseWorld()
        let sender = FakeSender(200, #"{"refresh_token":"next","access_token":"a"\#(member)}"#)
        #expect(try await world.broker(sender: sender).mint().expiry == expected)
    }
}
