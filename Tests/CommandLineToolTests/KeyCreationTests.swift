import TestSupport
import Testing
import TokenBroker

@testable import CommandLineTool

@Suite("Rotating to a key that the provider makes", .blocking)
struct KeyCreationTests {
    /// 2026-04-01T00:00:00Z.
    private static let now: Int64 = 1_775_001_600
    private static let key = #","issued":{"provider":"gateway","name":"tokenbroker-key-3-1a","id":"key_3"}"#

    private func outcome(_ words: [String], on path: String) -> Outcome {
        Tool.outcome(
            ["secret"] + words + ["--socket", path],
            Surroundings(now: Self.now, readSecret: { _ in preconditionFailure("nothing is read") })
        )
    }

    private func run(_ words: [String], on path: String) throws -> Report {
        guard case .report(let report) = outcome(words, on: path) else { throw CommandFailure.usage("not a report") }
        return report
    }

    private func rotate(on broker: ScriptedBroker) throws -> (report: Report, told: [String]) {
        guard case .rotate(let rotation) = outcome(["rotate", "key", "--create"], on: broker.path) else {
            throw CommandFailure.usage("not a rotation")
        }
        var told: [String] = []
        let ports = Rotation.Ports(tell: { told.append($0) }, pause: { _ in }, elapsed: { .zero })
        return (rotation.rotate(ports), told)
    }

    private func text(_ report: Report) -> String {
        String(decoding: report.output, as: UTF8.self)
    }

    private func version(_ number: Int, _ state: String, _ more: String = "") -> String {
        """
        {"version":\(number),"state":"\(state)","origin":"managed","fingerprint":"a1b\(number)",\
        "given_at":"2026-03-31T23:00:00Z","changed_at":"2026-03-31T23:50:00Z"\(more)}
        """
    }

    private func answer(_ members: String, _ versions: [String]) -> ScriptedBroker.Answer {
        ScriptedBroker.answer(
            200,
            """
            {"name":"key","source":"managed","tokens":["web"],"versions":[\(versions.joined(separator: ","))],\
            "kept":true,\(members)}
            """
        )
    }

    private func answers(before: String = "") -> [ScriptedBroker.Answer] {
        let retiring = version(2, "retiring", #","retires_at":"2026-04-01T00:30:00Z""# + before)
        let active = version(2, "active")
        return [
            answer(#""version":3,"state":"staged","known":false"#, [active, version(3, "staged", Self.key)]),
            answer(#""version":3,"state":"verified""#, [active, version(3, "verified", Self.key)]),
            answer(#""version":3,"state":"active","replaced":2"#, [retiring, version(3, "active", Self.key)]),
        ]
    }

    @Test("asks for it in place of reading one, and says what becomes of the one before at the provider")
    func rotation() throws {
        let broker = ScriptedBroker(answers())
        let (report, told) = try rotate(on: broker)
        #expect(report.status == .done)
        #expect(told.prefix(2) == ["key: asking the provider to make a key", "key: version 3 (a1b3) is staged"])
        #expect(
            broker.requests.map { $0.split(separator: " ")[1] }
                == ["/v1/secrets/key/create", "/v1/secrets/key/verify", "/v1/secrets/key/promote"]
        )
        #expect(broker.requests[0].contains("\r\nPrefer: wait=50\r\n"))
        #expect(text(report).contains("Version 2 was not made by the broker: revoke it at the provider yourself"))
        let before = #","issued":{"provider":"gateway","name":"tokenbroker-key-2-9f","id":"key_2"}"#
        let next = try rotate(on: ScriptedBroker(answers(before: before))).report
        #expect(text(next).contains("Its key tokenbroker-key-2-9f at gateway (key_2) is revoked then, by itself.\n"))
    }

    @Test("asks once, whatever the answer")
    func once() throws {
        let away = ScriptedBroker.answer(503, #"{"code":"provider_unavailable","detail":"away","retry_after":5}"#)
        let broker = ScriptedBroker([away, away])
        let (report, _) = try rotate(on: broker)
        #expect(report.status == .refusedByBroker)
        #expect(broker.requests.count == 1)
        #expect(report.notes.first == "tokenbroker: provider_unavailable: away")
    }

    @Test("says that a key which is refused is revoked")
    func refused() throws {
        let refusal = ScriptedBroker.answer(502, #"{"code":"provider_rejected_secret","detail":"no"}"#)
        let (report, _) = try rotate(on: ScriptedBroker([answers()[0], refusal]))
        #expect(
            report.notes.last
                == "Nothing changed: version 2 stays in force. The key that was made is revoked at the provider by itself."
        )
    }

    @Test("prints the plan, which asks for nothing else")
    func plan() throws {
        let server = ScriptedServer(
            #"{"name":"key","dry_run":true,"steps":[{"step":"create","detail":"have it made"},{"step":"stage","detail":"put it"}]}"#
        )
        let report = try run(["rotate", "key", "--create", "--dry-run"], on: server.path)
        #expect(server.request.hasPrefix("POST /v1/secrets/key/create?dry_run=1 HTTP/1.1\r\n"))
        #expect(
            text(report) == "key: nothing is done now; --create alone would\n  1. have it made\n  2. put it\n"
        )
    }

    @Test("is not planned where it is not asked for")
    func alone() throws {
        let report = try run(["rotate", "key", "--dry-run"], on: "/nowhere/admin.sock")
        #expect(report.status == .usage)
        #expect(report.notes.first == "tokenbroker: --dry-run goes with --create")
    }

    @Test("rollback says how its key is ended at the provider")
    func rollback() throws {
        let left = version(3, "staged", #","refusal":"taken back""# + Self.key)
        let members = #""version":2,"state":"active","replaced":3,"urgent":true"#
        let broker = ScriptedBroker([answer(members, [version(2, "active"), left])])
        #expect(
            text(try run(["rollback", "key"], on: broker.path)).contains(
                "Version 3 is not used any more. This revokes its key tokenbroker-key-3-1a at gateway (key_3): "
                    + "tokenbroker secret retire key\n"
            )
        )
    }

    @Test("list shows where a key is at the provider, and that it is not revoked yet")
    func list() throws {
        let trial = #"{"attempts":3,"next_attempt_in":12,"last_error":{"code":"provider_unavailable","detail":"no"}}"#
        let old = #","issued":{"provider":"gateway","name":"tokenbroker-key-2-9f"},"revocation":\#(trial)"#
        let versions = [version(1, "retired"), version(2, "retired", old), version(3, "active", Self.key)]
        let server = ScriptedServer(
            #"{"secrets":[{"name":"key","source":"managed","tokens":["web"],"versions":[\#(versions.joined(separator: ","))]}]}"#
        )
        #expect(
            text(try run(["list"], on: server.path)) == """
                NAME  SOURCE   VERSION  STATE    AGE     KEY   TOKENS
                key   managed  3        active   1h ago  a1b3  web
                  the key tokenbroker-key-3-1a at gateway (key_3)
                key   managed  2        retired  1h ago  a1b2  web
                  the key tokenbroker-key-2-9f at gateway is not revoked yet: provider_unavailable: no, again in 12s

                """
        )
    }
}
