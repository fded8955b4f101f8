import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Secrets on the admin socket", .blocking)
struct SecretAPITests {
    private static let path = "/v1/secrets/key"

    /// With a managed secret that has no value yet.
    private func managed(drain: Duration? = nil) async throws -> Harness {
        let harness = try Harness.operated(.account([.open("web")], source: .managed, drain: drain))
        await harness.beginSecrets()
        return harness
    }

    /// With a managed secret whose version 1 is in force.
    private func begun(drain: Duration? = nil) async throws -> Harness {
        let harness = try await managed(drain: drain)
        #expect(try await harness.stage("sk_v1_first").status == 200)
        return harness
    }

    @Test("the first value ever is in force at once")
    func first() async throws {
        let harness = try await managed()
        let answer = try await harness.stage("sk_v1_first\r\n")
        #expect(answer.status == 200)
        #expect(answer.json?["version"] == 1)
        #expect(answer.json?["state"] == "active")
        #expect(answer.json?["known"] == false)
        #expect(try harness.keeper.inForce.key("key").value == Secret("sk_v1_first".utf8))
        let record = try #require(harness.log.records.first)
        #expect(record.metadata[.action] == .string("begin"))
        #expect(record.metadata[.secret] == .string("key"))
        #expect(record.metadata[.peerUID] == .integer(Int64(geteuid())))
        #expect(!(answer.text + harness.log.text).contains("sk_v1"))
    }

    @Test("tells of every version, with the beginning of a fingerprint and never a value")
    func list() async throws {
        let harness = try await begun(drain: .seconds(600))
        harness.clock.advance(by: .seconds(60))
        _ = try await harness.stage("sk_v1_second")
        let answer = try await harness.request("GET /v1/secrets", on: .admin)
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "secrets": [
                    [
                        "name": "key", "source": "managed", "drain_seconds": 600, "tokens": ["web"],
                        "versions": [
                            [
                                "version": 1, "state": "active", "origin": "managed", "fingerprint": "sk_v",
                                "given_at": "2026-03-31T23:33:20Z", "changed_at": "2026-03-31T23:33:20Z",
                            ],
                            [
                                "version": 2, "state": "staged", "origin": "managed", "fingerprint": "sk_v",
                                "given_at": "2026-03-31T23:34:20Z", "changed_at": "2026-03-31T23:34:20Z",
                            ],
                        ],
                        "kept": true,
                    ]
                ]
            ]
        )
        #expect(!answer.text.contains("sk_v1"))
    }

    @Test("a value goes from staged to verified to active, and its proof is the next token")
    func rotation() async throws {
        let harness = try await begun()
        try await harness.mintWeb("at_v1_old")
        #expect(try await harness.stage("sk_v1_second").json?["state"] == "staged")
        #expect(try await harness.stage("sk_v1_second").json?["known"] == true)
        harness.provider.give(.token("at_v1_new"))
        let verified = try await harness.step("verify")
        #expect(verified.status == 200)
        #expect(verified.json?["state"] == "verified")
        #expect(try await harness.request("GET /v1/tokens/web").json?["access_token"] == "at_v1_old")
        let promoted = try await harness.step("promote")
        #expect(promoted.json?["version"] == 2)
        #expect(promoted.json?["state"] == "active")
        #expect(promoted.json?["replaced"] == 1)
        #expect(promoted.json?["urgent"] == false)
        let versions = promoted.json?["versions"]?.array
        #expect(versions?.map { $0["state"] } == ["retiring", "active"])
        #expect(versions?.first?["retires_at"] == "2026-04-01T00:33:20Z")
        #expect(try await harness.request("GET /v1/tokens/web").json?["access_token"] == "at_v1_new")
        let retired = try await harness.step("retire")
        #expect(retired.json?["retired"] == [1])
        #expect(retired.json?["versions"]?.array?.map { $0["state"] } == ["retired", "active"])
    }

    @Test("a leaked key is retired with the promotion, and only final=1 says so")
    func final() async throws {
        let harness = try await begun()
        _ = try await harness.stage("sk_v1_second")
        harness.provider.give(.token("at_v1_new"))
        _ = try await harness.step("verify")
        for query in ["?Final=1", "?final=yes", "?final", "?final=1&final=1", "?final=%"] {
            #expect(try await harness.step("promote" + query).code == "invalid_request")
        }
        #expect(try await harness.step("verify?final=1").code == "invalid_request")
        let answer = try await harness.step("promote?final=1")
        #expect(answer.json?["replaced"] == 1)
        #expect(answer.json?["urgent"] == true)
        #expect(answer.json?["versions"]?.array?.map { $0["state"] } == ["retired", "active"])
        #expect(try await harness.step("rollback").code == "conflict")
    }

    @Test("a promotion is taken back, and what it was of is not taken again by itself")
    func rollback() async throws {
        let harness = try await begun()
        _ = try await harness.stage("sk_v1_second")
        harness.provider.give(.token("at_v1_new"))
        _ = try await harness.step("verify")
        _ = try await harness.step("promote?final=0")
        let answer = try await harness.step("rollback")
        #expect(answer.json?["version"] == 1)
        #expect(answer.json?["replaced"] == 2)
        #expect(answer.json?["urgent"] == true)
        #expect(answer.json?["state"] == "active")
        let left = answer.json?["versions"]?.array?.last
        #expect(left?["state"] == "staged")
        #expect(left?["refusal"] == "taken back by an operator")
        #expect(try await harness.step("verify").code == "conflict")
    }

    @Test("a value that the provider refuses changes nothing, and its own words are passed on")
    func refused() async throws {
        let harness = try await begun()
        _ = try await harness.stage("sk_v1_second")
        harness.provider.give(
            .failure(MintFailure(.secretRejected, detail: "it is so", providerStatus: 401, providerCode: "BAD_KEY"))
        )
        let answer = try await harness.step("verify")
        #expect(answer.status == 502)
        #expect(answer.code == "provider_rejected_secret")
        #expect(answer.json?["provider_status"] == 401)
        #expect(answer.json?["provider_code"] == "BAD_KEY")
        #expect(try await harness.step("promote").code == "conflict")
        #expect(try harness.keeper.inForce.key("key").version == SecretVersionNumber(1))
        let problem = "secret key: version 2 is not taken, what was in force stays: it is so"
        let status = try await harness.request("GET /v1/status", on: .admin).json?["secrets"]
        #expect(
            status == [
                [
                    "name": "key", "active_version": 1,
                    "candidate": ["version": 2, "state": "staged", "refused": true], "problem": .string(problem),
                ]
            ]
        )
        #expect(try await harness.request("GET /", on: .admin).text.contains(problem))
        let metrics = try await harness.metrics()
        #expect(metrics.value("tokenbroker_secret_candidate_refused", ["secret": "key"]) == "1")
        #expect(metrics.value("tokenbroker_secret_version", ["secret": "key", "state": "active"]) == "1")
        #expect(metrics.value("tokenbroker_secret_version", ["secret": "key", "state": "staged"]) == "2")
        #expect(metrics.value("tokenbroker_secret_version", ["secret": "key", "state": "retiring"]) == nil)
    }

    @Test(
        "a provider that cannot say whether it takes a value is told as such",
        arguments: [
            (.transient, nil, 503, "5"), (.transient, .seconds(40), 503, "40"),
            (.rateLimited, nil, 503, "30"), (.rateLimited, .milliseconds(6500), 503, "7"),
            (.rateLimited, .seconds(343_643_178), 503, "900"),
            (.untrusted, nil, 502, nil), (.requestRejected, nil, 502, nil),
        ] as [(FailureClass, Duration?, Int, String?)]
    )
    func unproven(_ failure: FailureClass, _ pause: Duration?, _ status: Int, _ retryAfter: String?) async throws {
        let harness = try await begun()
        _ = try await harness.stage("sk_v1_second")
        harness.provider.give(.failure(MintFailure(failure, detail: "made to fail", askedPause: pause)))
        let answer = try await harness.step("verify")
        #expect(answer.status == status)
        #expect(answer.code == failure.code)
        #expect(answer.header("Retry-After") == retryAfter)
        #expect(answer.json?["detail"] == "the candidate could not be proven: made to fail")
        harness.provider.give(.token("at_v1_new"))
        #expect(try await harness.step("verify").status == 200)
    }

    @Test(
        "a step that is not due is a conflict that says what is",
        arguments: ["verify", "promote", "rollback", "retire"]
    )
    func illegal(_ step: String) async throws {
        let answer = try await begun().step(step)
        #expect(answer.status == 409)
        #expect(answer.code == "conflict")
        #expect(answer.json?["detail"]?.string?.contains("there is no") == true)
    }

    @Test("a step that was not taken is written down once, with who wanted it and why not")
    func refusalsRecorded() async throws {
        let harness = try await begun()
        _ = try await harness.step("verify")
        _ = try await harness.stage("sk_v1_second")
        _ = try await harness.step("promote")
        harness.provider.give(.failure(.transient))
        _ = try await harness.step("verify")
        harness.journal.fail()
        _ = try await harness.stage("sk_v1_third")
        let events = harness.recorded.events.dropFirst()
        #expect(events.map(\.action) == ["verify", "stage", "promote", "verify", "stage"])
        let codes = ["conflict", "ok", "conflict", "provider_unavailable", "internal"]
        #expect(events.map(\.outcome) == codes)
        #expect(Set(events.map(\.kind)) == [.secret])
        #expect(Set(events.map(\.subject)) == ["key"])
        #expect(events.compactMap(\.actor).map(\.uid) == codes.map { _ in geteuid() })
        #expect(!events.compactMap(\.detail).joined().contains("sk_v1"))
        let first = try #require(events.first)
        #expect(first.detail?.hasPrefix("there is no candidate: stage a value first") == true)
        let lines = harness.log.records.filter { $0.message == "Secret step" }
        #expect(lines.map { $0.metadata[.outcome] } == ["ok"] + codes.map { .string($0) })
    }

    @Test("what is not verified is not promoted")
    func unverified() async throws {
        let harness = try await begun()
        _ = try await harness.stage("sk_v1_second")
        let answer = try await harness.step("promote")
        #expect(answer.code == "conflict")
        #expect(answer.json?["detail"]?.string?.contains("verify it first") == true)
    }

    @Test("a value for a secret that has a file belongs into the file")
    func notManaged() async throws {
        let harness = try Harness.operated()
        await harness.beginSecrets()
        let answer = try await harness.stage("sk_v1_second")
        #expect(answer.status == 409)
        #expect(answer.code == "conflict")
        #expect(answer.json?["detail"]?.string?.contains("/nowhere") == true)
        let secret = try await harness.request("GET /v1/secrets", on: .admin).json?["secrets"]?.array?.first
        #expect(secret?["source"] == "file")
        #expect(secret?["path"] == "/nowhere")
    }

    @Test("a value that no key can be is refused, and not repeated", arguments: ["", "\n", "sk_v1_a\u{7}b"])
    func unusable(_ value: String) async throws {
        let answer = try await begun().stage(value)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
        #expect(!answer.text.contains("sk_v1"))
    }

    @Test(
        "a body that says it is something else than the value is not taken for one",
        arguments: [
            (["Content-Type: application/json"], 400), (["Content-Type: multipart/form-data; boundary=x"], 400),
            (["Content-Type: text/plain2"], 400), (["Content-Type: "], 400),
            (["Content-Type: text/plain", "Content-Type: application/json"], 400), ([], 200),
            (["Content-Type: Text/Plain ; charset=utf-8"], 200),
            (["Content-Type: application/x-www-form-urlencoded"], 200),
        ] as [([String], Int)]
    )
    func contentType(_ fields: [String], _ status: Int) async throws {
        let harness = try await managed()
        let answer = try await harness.request("POST \(Self.path)/stage", fields, body: "sk_v1_first", on: .admin)
        #expect(answer.status == status)
        #expect((answer.code == "invalid_request") == (status == 400))
        #expect(harness.keeper.reports.first?.versions.count == (status == 200 ? 1 : 0))
    }

    @Test("tells which tokens are the secret itself")
    func credentials() async throws {
        let tokens: [TokenDefinition] = [.open("minted"), .open("own", CredentialForm(isSecret: true), reveals: true)]
        let harness = try Harness.operated(.account(tokens))
        await harness.beginSecrets()
        let secret = try await harness.request("GET /v1/secrets", on: .admin).json?["secrets"]?.array?.first
        #expect(secret?["tokens"] == ["minted", "own"])
        #expect(secret?["credential_of"] == ["own"])
    }

    @Test("a step that the store does not keep is not taken")
    func notKept() async throws {
        let harness = try await begun()
        harness.journal.fail()
        let answer = try await harness.stage("sk_v1_second")
        #expect(answer.status == 500)
        #expect(answer.code == "internal")
        let secrets = try await harness.request("GET /v1/secrets", on: .admin).json?["secrets"]?.array
        #expect(secrets?.first?["versions"]?.array?.count == 1)
    }

    @Test(
        "knows no other secrets, and no other steps",
        arguments: [
            "ghost/stage", "Ghost/verify", "ghost/retire", "key/revoke", "key/", "key", "key/stage/", "../stage",
        ]
    )
    func unknown(_ rest: String) async throws {
        let answer = try await begun().request("POST /v1/secrets/\(rest)", body: "x", on: .admin)
        #expect(answer.status == 404)
        #expect(answer.code == "not_found")
    }

    @Test(
        "waits for a proof a little longer than for a mint, or as long as it is asked to",
        arguments: [([], 35), (["Prefer: wait=3"], 3), (["Prefer: wait=999"], 300)] as [([String], Int64)]
    )
    func deadline(_ fields: [String], _ seconds: Int64) async throws {
        let harness = try await begun()
        _ = try await harness.stage("sk_v1_second")
        let client = try harness.connect(.admin)
        client.send(message("POST \(Self.path)/verify", fields))
        try await harness.until { harness.provider.waiting == 1 }
        await harness.advance(by: .seconds(seconds) - .milliseconds(1))
        client.receive()
        #expect(client.received.isEmpty)
        harness.clock.advance(by: .milliseconds(1))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
        harness.provider.give(.token("at_v1_new"))
        try await harness.until { harness.keeper.reports.first?.candidate?.state == .verified }
    }

    @Test("a file that is not there is told, and what is in force stays")
    func unreadable() async throws {
        let harness = try Harness.operated()
        await harness.beginSecrets()
        harness.files.put(nil, for: "key")
        await harness.keeper.check()
        let problem: JSONValue = "secret key: /nowhere: there is no such file"
        let secrets = try await harness.request("GET /v1/secrets", on: .admin).json?["secrets"]?.array
        #expect(secrets?.first?["problem"] == problem)
        let status = try await harness.request("GET /v1/status", on: .admin).json?["secrets"]?.array?.first
        #expect(status?["problem"] == problem)
        #expect(status?["active_version"] == 1)
        #expect(try await harness.metrics().value("tokenbroker_secret_unreadable", ["secret": "key"]) == "1")
        #expect(try await harness.metrics().value("tokenbroker_secret_key_unrevoked", ["secret": "key"]) == "0")
    }

    @Test("how the proof of a new file goes is told")
    func trial() async throws {
        let harness = try Harness.operated()
        await harness.beginSecrets()
        harness.files.put("sk_v1_second", for: "key")
        await harness.keeper.check()
        harness.provider.give(.failure(.transient))
        try await harness.until { harness.keeper.reports.first?.trial?.lastFailure != nil }
        let secret = try await harness.request("GET /v1/secrets", on: .admin).json?["secrets"]?.array?.first
        #expect(secret?["trial"]?["attempts"] == 1)
        #expect(secret?["trial"]?["last_error"] == ["code": "provider_unavailable", "detail": "made to fail"])
        #expect(try (1...3).contains(#require(secret?["trial"]?["next_attempt_in"]?.number?.int64)))
        let status = try await harness.request("GET /v1/status", on: .admin).json?["secrets"]?.array?.first
        #expect(status?["problem"] == "secret key: version 2 cannot be proven yet: made to fail")
    }
}

extension Harness {
    fileprivate func stage(_ value: String) async throws -> Answer {
        try await request("POST /v1/secrets/key/stage", ["Content-Type: text/plain"], body: value, on: .admin)
    }

    fileprivate func step(_ step: String) async throws -> Answer {
        try await request("POST /v1/secrets/key/\(step)", on: .admin)
    }
}

@Suite("Having a provider make a key, on the admin socket", .blocking)
struct KeyCreationAPITests {
    @Test("is refused where no provider does, with what to do")
    func noIssuer() async throws {
        let harness = try Harness.operated(.account([.open("web")], source: .managed))
        await harness.beginSecrets()
        for query in ["", "?dry_run=1", "?dry_run=0"] {
            let answer = try await harness.request("POST /v1/secrets/key/create\(query)", on: .admin)
            #expect(answer.status == 409)
            #expect(answer.json?["code"] == "conflict")
            #expect(answer.json?["detail"]?.string?.contains("has 'management:'") == true)
        }
    }

    @Test("is written down also where it is only asked what would be done, with who asked and what came of it")
    func planRecorded() async throws {
        for (management, outcome, detail) in [
            (nil, "conflict", "no provider whose key is key"), ("management", "ok", "asked account for keys called"),
        ] as [(Name?, String, String)] {
            let harness = try Harness.operated(.account([.open("web")], source: .managed, management: management))
            harness.files.put("management-key", for: "management")
            await harness.beginSecrets()
            let answer = try await harness.request("POST /v1/secrets/key/create?dry_run=1", on: .admin)
            #expect(answer.status == (outcome == "ok" ? 200 : 409))
            let events = harness.recorded.events.filter { $0.subject == "key" }
            #expect(events.count == 1)
            let event = try #require(events.first)
            #expect(event.kind == .secret)
            #expect(event.action == "create --dry-run")
            #expect(event.outcome == outcome)
            #expect(event.detail?.hasPrefix(detail) == true)
            #expect(event.actor?.uid == geteuid())
        }
    }

    @Test("is written down also where the key of the key API cannot be had", arguments: ["", "?dry_run=1"])
    func noManagementRecorded(_ query: String) async throws {
        let harness = try Harness.operated(.account([.open("web")], source: .managed, management: "management"))
        await harness.beginSecrets()
        let answer = try await harness.request("POST /v1/secrets/key/create\(query)", on: .admin)
        #expect(answer.code == "secret_unavailable")
        #expect(answer.json?["detail"]?.string?.hasPrefix("no key was made, and nothing changed: ") == true)
        #expect(harness.recorded.events.map(\.outcome) == ["secret_unavailable"])
    }

    @Test(
        "takes the one parameter that it knows, and others take none of it",
        arguments: ["create?dryrun=1", "create?dry_run=yes", "create?final=1", "promote?dry_run=1", "stage?dry_run=1"]
    )
    func parameters(_ path: String) async throws {
        let harness = try Harness.operated(.account([.open("web")], source: .managed))
        await harness.beginSecrets()
        let answer = try await harness.request("POST /v1/secrets/key/\(path)", on: .admin)
        #expect(answer.status == 400)
        #expect(answer.json?["code"] == "invalid_request")
    }

    @Test("tells what it would come to, step by step")
    func plan() {
        let now = WallInstant(milliseconds: 1_775_000_000_000)
        var life = SecretLife()
        _ = life.take(Secret("one".utf8), fingerprint: "f", from: .managed, at: now)
        let account = ProviderDefinition(
            name: "gateway",
            kind: "app-ai-gateway",
            baseURL: "https://gateway.test",
            secret: "key",
            timeout: .seconds(10),
            management: "admin"
        )
        let plan = CreationPlan(
            account: account,
            label: "tokenbroker-key-2-0000abcd",
            active: life.active,
            candidate: nil,
            owed: [],
            retiresAt: now,
            tokens: ["web"]
        )
        let json = CreationPlanDocument(plan, for: "key").json
        #expect(json["replaces"] == 1)
        #expect(json["management"] == "admin")
        let steps = json["steps"]?.array ?? []
        #expect(
            steps.compactMap { $0["step"]?.string } == ["create", "stage", "verify", "promote", "wait", "revoke"]
        )
        #expect(steps[0]["detail"] == "have gateway (app-ai-gateway) make a key, called tokenbroker-key-2-…")
        #expect(steps[5]["detail"]?.string?.contains("revoke version 1 at the provider yourself") == true)
    }
}
