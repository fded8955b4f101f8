import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Admin API", .blocking)
struct AdminAPITests {
    @Test("says that the process serves")
    func health() async throws {
        let answer = try await Harness.operated().request("GET /healthz", on: .admin)
        #expect(answer.status == 200)
        #expect(answer.json == ["status": "ok"])
    }

    @Test("is ready when every token that is kept ahead can be served")
    func readiness() async throws {
        let harness = try Harness.operated(.account([.open("web", .ahead), .open("rare")]))
        harness.broker.start()
        let before = try await harness.request("GET /readyz", on: .admin)
        #expect(before.status == 503)
        #expect(before.json == ["ready": false, "not_servable": ["web"]])
        harness.provider.give(.token("at_v1_first"))
        try await harness.until { harness.broker.status(of: "web")?.mints == 1 }
        let after = try await harness.request("GET /readyz", on: .admin)
        #expect(after.status == 200)
        #expect(after.json == ["ready": true, "not_servable": []])
    }

    @Test("tells the state of every token, and never a value")
    func status() async throws {
        let harness = try Harness.operated(.account([.closed("other"), .open("web")]))
        try await harness.mintWeb("at_v1_value")
        await harness.advance(by: .seconds(100))
        let answer = try await harness.request("GET /v1/status", on: .admin)
        let attempt = try #require(answer.json?["tokens"]?.array?.last?["next_attempt_at"])
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "version": "1.2.3",
                "pid": 4711,
                "started_at": 1_774_000_000,
                "ready": true,
                "configuration": [
                    "path": "/etc/tokenbroker/tokenbroker.yaml",
                    "loaded_at": 1_774_000_000,
                    "last_error": nil,
                ],
                "device_policy": nil,
                "store": nil,
                "secret_memory": nil,
                "audit": nil,
                "tokens": [
                    [
                        "name": "other", "kind": "fake", "provider": "account", "state": "idle", "generation": nil,
                        "expires_at": nil, "expires_in": nil, "next_attempt_at": nil, "mints": 0, "failures": 0,
                        "failures_in_a_row": 0, "waiters": 0, "end_users": nil, "clock_skew_ms": nil, "last_error": nil,
                    ],
                    [
                        "name": "web", "kind": "fake", "provider": "account", "state": "ready",
                        "generation": 1_775_000_000_000_000,
                        "expires_at": 1_775_003_600, "expires_in": 3500, "next_attempt_at": attempt, "mints": 1,
                        "failures": 0, "failures_in_a_row": 0, "waiters": 0, "end_users": nil, "clock_skew_ms": nil,
                        "last_error": nil,
                    ],
                ],
                "secrets": [],
                "warnings": [],
            ]
        )
        #expect(!answer.text.contains("at_v1"))
    }

    @Test("tells how the last attempt failed, and what is wrong with the configuration")
    func faults() async throws {
        let harness = try Harness.operated()
        let failure = MintFailure(
            .secretRejected,
            detail: "it is so",
            providerStatus: 401,
            providerCode: "BAD_KEY",
            providerRequestID: "req-1"
        )
        harness.provider.give(.failure(failure))
        _ = try await harness.request("GET /v1/tokens/web")
        var facts = DaemonFacts.example
        facts.reloadProblems = ["line 1", "line 2"]
        facts.warnings = ["hm"]
        harness.servers.factsChanged(facts)
        let status = try #require(try await harness.request("GET /v1/status", on: .admin).json)
        #expect(status["configuration"]?["last_error"] == "line 1\nline 2")
        #expect(status["warnings"] == ["hm"])
        let token = try #require(status["tokens"]?.array?.first)
        #expect(token["state"] == "secret_rejected")
        #expect(token["failures_in_a_row"] == 1)
        #expect(
            token["last_error"] == [
                "code": "provider_rejected_secret", "detail": "it is so", "at": 1_775_000_000,
                "provider_status": 401, "provider_code": "BAD_KEY", "provider_request_id": "req-1",
            ]
        )
    }

    @Test("mints a new token in place of the one held")
    func refresh() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb("at_v1_first")
        harness.provider.give(.token("at_v1_second", .after(.seconds(600))))
        let answer = try await harness.request("POST /v1/tokens/web/refresh", on: .admin)
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "name": "web", "generation": 1_775_000_000_000_001, "expires_at": 1_775_000_600, "expires_in": 600,
            ]
        )
        #expect(harness.log.records.map { $0.metadata[.action] } == [.string("token refresh")])
        #expect(harness.recorded.events.map(\.outcome) == ["ok"])
        #expect(!(answer.text + harness.log.text).contains("at_v1"))
        #expect(try await harness.request("GET /v1/tokens/web").json?["access_token"] == "at_v1_second")
    }

    @Test("says why a refresh failed, although the token held is served on")
    func failedRefresh() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb()
        harness.provider.give(.failure(.requestRejected))
        let answer = try await harness.request("POST /v1/tokens/web/refresh", on: .admin)
        #expect(answer.code == "provider_rejected_request")
        let event = try #require(harness.recorded.events.first)
        #expect(harness.recorded.events.count == 1)
        #expect(event.action == "token refresh")
        #expect(event.outcome == "provider_rejected_request")
        #expect(event.detail == "made to fail")
        #expect(event.actor?.uid == geteuid())
        #expect(try await harness.request("GET /v1/tokens/web").status == 200)
    }

    @Test(
        "waits for a refresh as long as it is asked to, within the limit",
        arguments: [([], 10), (["Prefer: wait=0"], 0), (["Prefer: wait=3"], 3), (["Prefer: wait=999999999"], 300)]
            as [([String], Int64)]
    )
    func refreshDeadline(_ fields: [String], _ seconds: Int64) async throws {
        let harness = try Harness.operated()
        let client = try harness.connect(.admin)
        client.send(message("POST /v1/tokens/web/refresh", fields))
        try await harness.until { harness.provider.waiting == 1 }
        if seconds > 0 {
            await harness.advance(by: .seconds(seconds) - .milliseconds(1))
            client.receive()
            #expect(client.received.isEmpty)
        }
        harness.clock.advance(by: .milliseconds(1))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
        #expect(harness.waiters == 0)
    }

    @Test("writes a refresh down once, whose end nobody waited for", arguments: [true, false])
    func abandonedRefresh(hangsUp: Bool) async throws {
        let harness = try Harness.operated()
        let client = try harness.connect(.admin)
        client.send(message("POST /v1/tokens/web/refresh", ["Prefer: wait=3"]))
        try await harness.until { harness.provider.waiting == 1 }
        #expect(harness.recorded.events.isEmpty)
        if hangsUp { client.close() } else { harness.clock.advance(by: .seconds(3)) }
        try await harness.until { !harness.recorded.events.isEmpty }
        harness.provider.give(.token("at_v1_first"))
        try await harness.until { harness.broker.status(of: "web")?.mints == 1 }
        await harness.settle()
        #expect(harness.recorded.events.map(\.action) == ["token refresh"])
        #expect(harness.recorded.events.map(\.outcome) == ["deadline_exceeded"])
    }

    @Test("drops what is cached")
    func drop() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb("at_v1_first")
        let answer = try await harness.request("DELETE /v1/tokens/web", on: .admin)
        #expect(answer.status == 200)
        #expect(answer.json == ["name": "web", "dropped": true])
        #expect(harness.log.records.map { $0.metadata[.action] } == [.string("token drop")])
        #expect(harness.log.records.first?.metadata[.peerUID] == .integer(Int64(geteuid())))
        #expect(harness.broker.status(of: "web")?.state == .idle)
    }

    @Test(
        "knows no other tokens",
        arguments: [
            "DELETE /v1/tokens/ghost", "DELETE /v1/tokens/Ghost", "POST /v1/tokens/ghost/refresh",
            "POST /v1/tokens/Ghost/refresh",
        ]
    )
    func unknown(_ line: String) async throws {
        let answer = try await Harness.operated().request(line, on: .admin)
        #expect(answer.status == 404)
        #expect(answer.code == "unknown_token")
    }

    @Test("tells of a token of each user that there is no one to refresh")
    func perUser() async throws {
        let harness = try Harness.operated(.account([.open("mine", CredentialForm(user: .endUser))]))
        let answer = try await harness.request("POST /v1/tokens/mine/refresh", on: .admin)
        #expect(answer.status == 409)
        #expect(answer.code == "conflict")
        #expect(answer.json?["detail"]?.string?.contains("`tokenbroker token drop mine`") == true)
    }

    @Test("says what a reload came to, and when it is over")
    func reload() async throws {
        let harness = try Harness.operated()
        for (problems, status) in [([], 200), (["a", "b"], 422)] as [([String], Int)] {
            let client = try harness.connect(.admin)
            client.send(message("POST /v1/reload"))
            try await harness.until { harness.reloads.count == 1 }
            await harness.settle()
            client.receive()
            #expect(client.received.isEmpty)
            harness.reloads.end(problems)
            let answer = try await harness.answer(on: client)
            #expect(answer.status == status)
            let event = try #require(harness.log.records.last)
            #expect(event.metadata[.action] == "reload")
            #expect(event.metadata[.outcome] == (problems.isEmpty ? "ok" : "configuration_invalid"))
            #expect(event.metadata[.peerUID] == .integer(Int64(geteuid())))
            if problems.isEmpty {
                #expect(answer.json == ["reloaded": true])
            } else {
                #expect(answer.code == "configuration_invalid")
                #expect(answer.json?["errors"] == ["a", "b"])
            }
        }
    }

    @Test("a caller that hangs up during a reload leaves nothing behind")
    func reloadHangUp() async throws {
        let harness = try Harness.operated()
        let client = try harness.connect(.admin)
        client.send(message("POST /v1/reload"))
        try await harness.until { harness.reloads.count == 1 }
        client.close()
        try await harness.until { harness.connectionCount == 0 }
        harness.reloads.end([])
        #expect(try await harness.request("GET /healthz", on: .admin).status == 200)
    }

    @Test("gives up on a reload that does not end")
    func reloadDeadline() async throws {
        let harness = try Harness.operated()
        let client = try harness.connect(.admin)
        client.send(message("POST /v1/reload"))
        try await harness.until { harness.reloads.count == 1 }
        harness.clock.advance(by: .seconds(60))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
    }

    @Test(
        "says which methods a path takes",
        arguments: [
            ("POST /v1/status", "GET, HEAD"), ("DELETE /readyz", "GET, HEAD"), ("GET /v1/reload", "POST"),
            ("POST /v1/device-policy", "GET, HEAD, PUT, DELETE"),
            ("GET /v1/tokens/web", "DELETE"), ("GET /v1/tokens/web/refresh", "POST"), ("POST /v1/audit", "GET, HEAD"),
            ("POST /v1/secrets", "GET, HEAD"), ("GET /v1/secrets/key/stage", "POST"),
            ("DELETE /v1/audit/verify", "GET, HEAD"),
        ]
    )
    func methods(_ line: String, _ allowed: String) async throws {
        let answer = try await Harness.operated().request(line, on: .admin)
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == allowed)
    }

    @Test("refuses a foreign host before it looks at anything else, and logs it")
    func foreign() async throws {
        let harness = try Harness.operated()
        let answer = try await harness.request("GET /healthz", ["Host: example.com"], on: .admin)
        #expect(answer.status == 403)
        #expect(answer.code == "not_permitted")
        #expect(harness.log.records.first?.metadata[.reason] == .string("foreign host or origin"))
        #expect(harness.log.records.first?.metadata[.peerUID] == .integer(Int64(geteuid())))
    }

    @Test("lets an observer read, and nothing else; a stranger nothing at all")
    func rights() throws {
        let audit = MemoryAuditLog()
        let harness = try Harness()
        let api = harness.adminAPI(
            AdminAccess(operators: [AdminPrincipal(user: 1)], observers: [AdminPrincipal(user: 2)]),
            audit
        )
        let readings = ["GET /v1/status", "HEAD /v1/status", "GET /healthz", "GET /readyz", "GET /metrics", "GET /"]
        let operations = [
            "GET /v1/device-policy",
            "GET /v1/secrets", "POST /v1/secrets/ghost/verify",
            "POST /v1/reload", "POST /v1/examination", "DELETE /v1/tokens/web", "POST /v1/tokens/ghost/refresh",
            "GET /v1/audit", "GET /v1/audit/verify",
        ]
        for line in readings {
            #expect(try harness.isPermitted(line, 1, api))
            #expect(try harness.isPermitted(line, 2, api))
        }
        for line in operations {
            #expect(try harness.isPermitted(line, 1, api))
            #expect(try !harness.isPermitted(line, 2, api))
        }
        #expect(audit.events.filter { $0.kind == .denial }.count == operations.count)
        for line in readings + operations + ["GET /none"] {
            #expect(try !harness.isPermitted(line, 3, api))
        }
        let actor = AuditEvent.Actor(uid: 3, pid: 9)
        let denial = AuditEvent(
            .denial,
            "admin",
            outcome: "not_permitted",
            detail: "not an operator",
            by: actor
        )
        #expect(audit.events.last { $0.kind == .denial } == denial)
    }

    @Test("tells an observer who wants to do more from a stranger", arguments: [(2, "observer"), (3, nil)])
    func refusals(_ uid: UInt32, _ reason: JSONValue?) throws {
        let harness = try Harness()
        let access = AdminAccess(operators: [AdminPrincipal(user: 1)], observers: [AdminPrincipal(user: 2)])
        let response = try #require(
            try harness.response("POST /v1/reload", uid, harness.adminAPI(access, MemoryAuditLog()))
        )
        let problem = try JSONValue(parsing: response.body)
        #expect(problem["code"] == "not_permitted")
        #expect(problem["reason"] == reason)
    }

    @Test("takes other operators from a reload")
    func reloadedOperators() async throws {
        let harness = try Harness()
        harness.take(.account([.open("web")]), operators: [AdminPrincipal(user: geteuid())])
        #expect(try await harness.request("GET /healthz", on: .admin).status == 200)
    }
}

extension Harness {
    /// With the user who runs the tests as operator.
    static func operated(_ definition: BrokerDefinition = .account([.open("web")])) throws -> Harness {
        try Harness(definition, operators: [AdminPrincipal(user: geteuid())])
    }

    func adminAPI(_ access: AdminAccess, _ audit: MemoryAuditLog) -> AdminAPI {
        AdminAPI(
            broker: broker,
            gate: gate,
            clock: clock,
            audit: audit,
            auditTrail: nil,
            facts: .example,
            access: access,
            metrics: AdminAPI.Metrics(sockets: [], mints: mints, verdicts: DeviceVerdictCounters()),
            policies: policies,
            secrets: SecretDesk(keeper, read: Self.readSecret, clock: clock, audit: audit),
            startReload: { _ in },
            onDrop: {}
        )
    }

    /// Whether the API does what a user asks, whatever comes of it.
    func isPermitted(_ line: String, _ uid: UInt32, _ api: AdminAPI) throws -> Bool {
        try response(line, uid, api)?.status != 403
    }

    /// - Returns: nil for an answer that is still to come.
    func response(_ line: String, _ uid: UInt32, _ api: AdminAPI) throws -> HTTPResponse? {
        let completion = Completion(server: servers.admin, connection: ConnectionID(number: 0), request: 1)
        let outcome = api.respond(to: try parsed(message(line)), from: Peer(pid: 9, uid: uid, gid: uid), completion)
        guard case .reply(.response(let response)) = outcome else { return nil }
        return response
    }
}
