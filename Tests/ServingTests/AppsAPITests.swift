import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Apps API", .blocking)
struct AppsAPITests {
    @Test("a long poll ends with what the grants are by then")
    func withdrawnGrant() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb()
        let client = try await harness.parkedPoll()
        harness.broker.reload(Broker.Supply(.account([.closed("web")]), with: harness.provider))
        harness.servers.configurationChanged(operators: [], observers: [], facts: .example)
        await harness.settle()
        harness.clock.advance(by: .seconds(5))
        #expect(try await harness.answer(on: client).status == 404)
    }

    @Test("a long poll whose token has ended by its end is told what any caller would be then")
    func endedWhilePolling() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first", .after(.seconds(4)))
        let client = try await harness.parkedPoll()
        harness.clock.advance(by: .seconds(5))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
        #expect(harness.waiters == 0)
    }

    @Test("says that the process serves")
    func health() async throws {
        let answer = try await Harness().request("GET /healthz")
        #expect(answer.status == 200)
        #expect(answer.json == ["status": "ok"])
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("Content-Type") == "application/json")
    }

    @Test("tells a peer who it is")
    func whoami() async throws {
        let answer = try await Harness().request("GET /v1/whoami")
        #expect(answer.status == 200)
        #expect(answer.json?["uid"]?.number?.int64 == Int64(geteuid()))
        #expect(answer.json?["gid"]?.number?.int64 == Int64(getegid()))
        #expect(answer.json?["groups"]?.array != nil)
        #expect(answer.json?["pid"]?.number?.int64 == Int64(getpid()))
    }

    @Test("lists what the peer may fetch, and never a value")
    func list() async throws {
        let harness = try Harness(.account([.open("web"), .closed("other"), .open("app")]))
        try await harness.mintWeb("at_v1_value")
        let answer = try await harness.request("GET /v1/tokens")
        #expect(
            answer.json == [
                "tokens": [
                    ["name": "app", "kind": "fake", "state": "idle"],
                    ["name": "web", "kind": "fake", "state": "ready"],
                ]
            ]
        )
        #expect(!answer.text.contains("at_v1_value"))
    }

    @Test("serves a token with all that a client needs to keep it", arguments: ["GET", "POST"])
    func token(_ method: String) async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        await harness.advance(by: .milliseconds(1500))
        let answer = try await harness.request("\(method) /v1/tokens/web")
        let refreshAt = try #require(answer.json?["refresh_at"]?.number?.int64)
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "name": "web",
                "access_token": "at_v1_first",
                "token_type": "Bearer",
                "expires_at": 1_775_003_600,
                "expires_at_ms": 1_775_003_600_000,
                "expires_in": 3598,
                "refresh_at": .number(JSONNumber(refreshAt)),
                "generation": 1_775_000_000_000_000,
                "degraded": false,
            ]
        )
        #expect((1_775_000_000 + 2520..<1_775_003_600).contains(refreshAt))
        #expect(answer.header("ETag") == "\"1775000000000000\"")
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test("says that the token could not be refreshed and is served on")
    func degraded() async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        await harness.advance(by: .seconds(3300))
        harness.provider.give(.failure(.transient))
        harness.broker.wake()
        try await harness.until { harness.broker.status(of: "web")?.failures == 1 }
        let answer = try await harness.request("GET /v1/tokens/web")
        #expect(answer.status == 200)
        #expect(answer.json?["degraded"] == true)
    }

    @Test("meets a min_ttl that the token held does not meet by a new one", arguments: ["GET", "POST"])
    func minimum(_ method: String) async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        await harness.advance(by: .seconds(600))
        harness.provider.give(.token("at_v1_second"))
        let answer =
            method == "GET"
            ? try await harness.request("GET /v1/tokens/web?min_ttl=3300")
            : try await harness.request("POST /v1/tokens/web", body: #"{"min_ttl":3300}"#)
        #expect(answer.json?["access_token"] == "at_v1_second")
        #expect(answer.json?["expires_in"] == 3600)
    }

    @Test("refuses a bad parameter with words that help", arguments: ["min_ttl=soon", "end_user=u", "ttl=1"])
    func badParameter(_ query: String) async throws {
        let answer = try await Harness().request("GET /v1/tokens/web?\(query)")
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(answer.json?["detail"]?.string?.isEmpty == false)
    }

    @Test(
        "says which methods a path takes",
        arguments: [
            ("DELETE /v1/tokens/web", "GET, HEAD, POST"), ("PUT /v1/tokens/unknown", "GET, HEAD, POST"),
            ("POST /healthz", "GET, HEAD"), ("POST /v1/tokens", "GET, HEAD"), ("PATCH /v1/whoami", "GET, HEAD"),
        ]
    )
    func methods(_ line: String, _ allowed: String) async throws {
        let answer = try await Harness().request(line)
        #expect(answer.status == 405)
        #expect(answer.code == "method_not_allowed")
        #expect(answer.header("Allow") == allowed)
    }

    @Test("has nothing at other paths", arguments: ["/", "/v1/tokens/we%62", "/v1/tokens/../tokens/web", "/v1/status"])
    func otherPaths(_ path: String) async throws {
        let answer = try await Harness().request("GET \(path)")
        #expect(answer.status == 404)
        #expect(answer.code == "not_found")
    }

    @Test("answers for a token that is not there and for one that is another's in the same bytes")
    func unknownToken() async throws {
        let harness = try Harness(.account([.open("web"), .closed("other")]))
        for (method, query) in [("GET", ""), ("POST", ""), ("GET", "?min_ttl=x")] {
            let closed = try await harness.request("\(method) /v1/tokens/other\(query)")
            let missing = try await harness.request("\(method) /v1/tokens/ghost\(query)")
            let impossible = try await harness.request("\(method) /v1/tokens/Ghost\(query)")
            #expect(closed.status == 404)
            #expect(closed.code == "unknown_token")
            #expect(closed.bytes == missing.bytes)
            #expect(closed.bytes == impossible.bytes)
        }
        #expect(harness.provider.started == 0)
    }

    @Test("logs a denial with who asked and why, for the operator alone")
    func denialLog() async throws {
        let harness = try Harness(.account([.open("web"), .closed("other")]))
        try await harness.mintWeb("at_v1_value")
        for name in ["other", "ghost"] { _ = try await harness.request("GET /v1/tokens/\(name)") }
        let records = harness.log.records
        #expect(records.map(\.message) == ["Token denied", "Token denied"])
        #expect(records.map { $0.metadata[.token] } == [.string("other"), .string("ghost")])
        let reasons: [LogValue] = ["not allowed: another user", "no such token"]
        #expect(records.map { $0.metadata[.reason] } == reasons)
        #expect(records.allSatisfy { $0.metadata[.peerUID] == .integer(Int64(geteuid())) })
        #expect(records.allSatisfy { $0.metadata[.peerPID] == .integer(Int64(getpid())) })
        #expect(!harness.log.text.contains("at_v1"))
        #expect(!harness.log.text.contains(FixedSecret.text))
    }

    @Test("lets in whom a grant's group or user names, and nobody else", arguments: [0, 1000] as [UInt32])
    func grants(_ uid: UInt32) throws {
        let token = TokenDefinition(
            name: "web",
            provider: "account",
            refresh: .onDemand,
            grants: [Grant(user: 1), Grant(group: 7), Grant(user: 2, surfaces: [.authorize])]
        )
        let harness = try Harness(.account([token]))
        let stranger = Peer(pid: 1, uid: uid, gid: uid)
        #expect(try harness.isUnknown(to: stranger))
        #expect(try harness.isUnknown(to: Peer(pid: 1, uid: 2, gid: 2)))
        #expect(try !harness.isUnknown(to: Peer(pid: 1, uid: 1, gid: 1)))
        #expect(try !harness.isUnknown(to: Peer(pid: 1, uid: uid, gid: 7)))
        #expect(try !harness.isUnknown(to: Peer(pid: 1, uid: uid, gid: uid, supplementaryGroups: [6, 7])))
    }

    @Test(
        "answers a provider's failure under its own code",
        arguments: [
            (.transient, "provider_unavailable", 503), (.rateLimited, "provider_rate_limited", 503),
            (.quotaExhausted, "provider_quota_exhausted", 503), (.secretRejected, "provider_rejected_secret", 502),
            (.userRefused, "provider_refused_user", 403), (.requestRejected, "provider_rejected_request", 502),
            (.untrusted, "provider_untrusted", 502), (.secretUnavailable, "secret_unavailable", 503),
        ] as [(FailureClass, String, Int)]
    )
    func failure(_ failureClass: FailureClass, _ code: String, _ status: Int) async throws {
        let harness = try Harness()
        harness.provider.give(
            .failure(
                MintFailure(
                    failureClass,
                    detail: "it is so",
                    providerStatus: 418,
                    providerCode: "TEAPOT",
                    providerRequestID: "req-1"
                )
            )
        )
        for _ in 1...2 {
            let answer = try await harness.request("GET /v1/tokens/web")
            #expect(answer.status == status)
            #expect(answer.header("Content-Type") == "application/problem+json")
            #expect(answer.header("Cache-Control") == "no-store")
            let retryAfter = try #require(answer.json?["retry_after"]?.number)
            #expect(answer.header("Retry-After") == retryAfter.literal)
            #expect(
                answer.json == [
                    "type": "about:blank",
                    "title": .string(code.replacing("_", with: " ")),
                    "status": .number(JSONNumber(Int64(status))),
                    "code": .string(code),
                    "detail": "it is so",
                    "retry_after": .number(retryAfter),
                    "provider_status": 418,
                    "provider_code": "TEAPOT",
                    "provider_request_id": "req-1",
                ]
            )
        }
        #expect(harness.provider.started == 1)
    }
}

extension Harness {
    /// Whether the token `web` is not there for a peer, whoever runs the tests.
    func isUnknown(to peer: Peer) throws -> Bool {
        let verdicts = DeviceVerdictCounters()
        let api = AppsAPI(broker: broker, gate: gate, verdicts: verdicts, clock: clock, audit: audit)
        let server = Server(
            SocketMetrics("test"),
            loop: loop,
            handler: api,
            logger: logger,
            connectionsPerUID: 1,
            onFailure: {}
        )
        let completion = Completion(server: server, connection: ConnectionID(number: 0), request: 1)
        let request = try parsed(message("GET /v1/tokens/web", ["Prefer: wait=0"]))
        guard case .reply(.response(let response)) = api.respond(to: request, from: peer, completion) else {
            return false
        }
        return response.status == 404
    }
}
