import TestSupport
import Testing
import TokenBroker

@testable import CommandLineTool

@Suite("Operating secrets", .blocking)
struct SecretTests {
    /// 2026-04-01T00:00:00Z.
    private static let now: Int64 = 1_775_001_600

    private func outcome(_ words: [String], on path: String, input: String = "sk_v1_new\n") -> Outcome {
        Tool.outcome(
            ["secret"] + words + ["--socket", path],
            Surroundings(now: Self.now, readSecret: { _ in Array(input.utf8) })
        )
    }

    private func run(_ words: [String], on path: String, input: String = "sk_v1_new\n") throws -> Report {
        guard case .report(let report) = outcome(words, on: path, input: input) else {
            throw CommandFailure.usage("not a report")
        }
        return report
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

    /// A broker's answer to a step.
    private func answer(
        _ members: String,
        _ versions: [String],
        source: String = "managed",
        tokens: String = #"["app","web"]"#
    ) -> String {
        """
        {"name":"key","source":"\(source)","tokens":\(tokens),"versions":[\(versions.joined(separator: ","))],\
        "kept":true,\(members)}
        """
    }

    @Test("list shows each version that counts, and below it what is wrong")
    func list() throws {
        let secrets = [
            answer(
                #""problem":"secret key: /x: there is no such file""#,
                [
                    version(1, "retired"), version(2, "retiring", #","retires_at":"2026-04-01T00:59:00Z""#),
                    version(3, "active"), version(4, "staged", #","refusal":"it is so""#),
                ]
            ),
            #"{"name":"new","source":"managed","tokens":[],"versions":[],"kept":true}"#,
        ]
        let report = try run(["list"], on: ScriptedServer(#"{"secrets":[\#(secrets.joined(separator: ","))]}"#).path)
        #expect(
            text(report) == """
                NAME  SOURCE   VERSION  STATE     AGE     KEY   TOKENS
                key   managed  4        staged    1h ago  a1b4  app web
                  not taken: it is so
                key   managed  3        active    1h ago  a1b3  app web
                key   managed  2        retiring  1h ago  a1b2  app web
                  retires in 59m
                  secret key: /x: there is no such file
                new   managed  -        -         -       -     -

                """
        )
    }

    @Test("list tells how the proof of a new file goes")
    func listTrial() throws {
        let trial = #"{"attempts":3,"next_attempt_in":12,"last_error":{"code":"provider_unavailable","detail":"no"}}"#
        let secret = answer("\"trial\":\(trial)", [version(1, "active")], source: "file")
        let report = try run(["list"], on: ScriptedServer(#"{"secrets":[\#(secret)]}"#).path)
        #expect(text(report).hasSuffix("\n  last attempt to prove it: provider_unavailable: no, again in 12s\n"))
    }

    @Test("the value goes from standard input into the body, as it is")
    func stageRequest() throws {
        let server = ScriptedServer(answer(#""version":2,"state":"staged","known":false"#, [version(2, "staged")]))
        let report = try run(["stage", "key"], on: server.path)
        #expect(
            server.request
                == "POST /v1/secrets/key/stage HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                + "Connection: close\r\nContent-Length: 10\r\n\r\nsk_v1_new\n"
        )
        #expect(text(report) == "key: version 2 (a1b2) is staged\nNext: tokenbroker secret verify key\n")
    }

    @Test("an empty value is refused before anybody is asked", arguments: ["", "\n", "\r\n"])
    func emptyValue(_ input: String) throws {
        for command in ["stage", "rotate"] {
            let report = try run([command, "key"], on: "/nowhere/admin.sock", input: input)
            #expect(report.status == .usage)
            #expect(report.notes.first == "tokenbroker: the value is empty")
        }
    }

    @Test("a name that no secret can have is a usage error")
    func badName() throws {
        let report = try run(["verify", "../x"], on: "/nowhere/admin.sock")
        #expect(report.status == .usage)
        #expect(report.notes.first?.contains("cannot be a secret's name") == true)
    }

    @Test(
        "each step is a request of its own",
        arguments: [
            (["verify", "key"], "verify "), (["promote", "key"], "promote "),
            (["promote", "key", "--final"], "promote?final=1 "), (["rollback", "key"], "rollback "),
            (["retire", "key"], "retire "),
        ]
    )
    func requests(_ words: [String], _ target: String) throws {
        let server = ScriptedServer("{}")
        #expect(try run(words, on: server.path).status == .done)
        #expect(server.request.hasPrefix("POST /v1/secrets/key/\(target)HTTP/1.1\r\n"))
    }

    @Test("each step says what it came to and what comes next")
    func news() throws {
        let retiring = version(2, "retiring", #","retires_at":"2026-04-01T00:30:00Z""#)
        let cases: [(String, String)] = [
            (
                answer(#""version":3,"state":"verified""#, [version(2, "active"), version(3, "verified")]),
                "key: version 3 (a1b3) is verified\nNext: tokenbroker secret promote key\n"
            ),
            (
                answer(#""version":3,"state":"verified""#, [version(3, "verified")], source: "file"),
                "key: version 3 (a1b3) is verified\nIt comes into force by itself.\n"
            ),
            (
                answer(
                    #""version":3,"state":"active","replaced":2,"drain_seconds":7200"#,
                    [retiring, version(3, "active")]
                ),
                """
                key: version 3 (a1b3) is in force
                Version 2 retires in 30m; until then this goes back to it: tokenbroker secret rollback key
                Refreshed over 2h: app, web

                """
            ),
            (
                answer(
                    #""version":3,"state":"active","replaced":2,"credential_of":["app"]"#,
                    [retiring, version(3, "active")]
                ),
                """
                key: version 3 (a1b3) is in force
                Version 2 retires in 30m; until then this goes back to it: tokenbroker secret rollback key
                Handed out at once: app
                Refreshed over a quarter of their lifetimes: web

                """
            ),
            (
                answer(
                    #""version":3,"state":"active","replaced":1,"urgent":true,"credential_of":["app","web"]"#,
                    [version(1, "retired"), version(3, "active")]
                ),
                """
                key: version 3 (a1b3) is in force
                Version 1 is wiped; there is no way back to it.
                Handed out at once: app, web

                """
            ),
            (
                answer(#""version":3,"state":"active","replaced":2"#, [retiring, version(3, "active")], tokens: "[]"),
                """
                key: version 3 (a1b3) is in force
                Version 2 retires in 30m; until then this goes back to it: tokenbroker secret rollback key
                No token is minted with it.

                """
            ),
            (
                answer(
                    #""version":3,"state":"active","replaced":1,"urgent":true"#,
                    [version(1, "retired"), version(2, "retired", #","refusal":"it is so""#), version(3, "active")]
                ),
                """
                key: version 3 (a1b3) is in force
                Version 1 is wiped; there is no way back to it.
                Refreshed within seconds: app, web

                """
            ),
            (
                answer(
                    #""version":2,"state":"active","replaced":3,"urgent":true"#,
                    [
                        version(1, "retiring", #","retires_at":"2026-04-01T00:30:00Z""#), version(2, "active"),
                        version(3, "staged", #","refusal":"taken back""#),
                    ]
                ),
                """
                key: version 2 (a1b2) is in force
                Version 3 is not used any more. This wipes it: tokenbroker secret retire key
                Refreshed within seconds: app, web

                """
            ),
            (
                answer(#""retired":[1,2]"#, [version(2, "retired"), version(3, "active")]),
                "key: retired and wiped: version 1, 2\n"
            ),
        ]
        for (answer, expected) in cases {
            #expect(text(try run(["promote", "key"], on: ScriptedServer(answer).path)) == expected)
        }
    }

    @Test("--json prints the broker's answer")
    func json() throws {
        let server = ScriptedServer(answer(#""version":3,"state":"verified""#, [version(3, "verified")]))
        #expect(text(try run(["verify", "key", "--json"], on: server.path)).contains(#""state": "verified""#))
    }

    @Test("status has a line for each secret that somebody should look at")
    func status() throws {
        let server = ScriptedServer(
            #"{"tokens":[],"secrets":[{"name":"a","problem":null},{"name":"b","problem":"secret b: no\u001b"}]}"#
        )
        guard case .report(let report) = Tool.outcome(["status", "--socket", server.path], Surroundings()) else {
            throw CommandFailure.usage("not a report")
        }
        #expect(text(report).hasSuffix("no tokens are configured\nsecret b: no\\u{1b}\n"))
    }

    @Test("status says how much of the secrets' memory may be swapped out, where any may")
    func memory() throws {
        let cases = [(65536, "secret memory: 65536 bytes of keys and tokens may be written to swap"), (0, nil)]
        for (bytes, line) in cases {
            let server = ScriptedServer(#"{"tokens":[],"secret_memory":{"locked_bytes":1,"unlocked_bytes":\#(bytes)}}"#)
            guard case .report(let report) = Tool.outcome(["status", "--socket", server.path], Surroundings()) else {
                throw CommandFailure.usage("not a report")
            }
            #expect(text(report).contains("secret memory") == (line != nil))
            if let line { #expect(text(report).contains(line)) }
        }
    }

    // MARK: rotate

    /// What a rotation told, and how often and for how long it paused.
    private final class Witness {
        var told: [String] = []
        var paused: Duration = .zero
        var pauses = 0
    }

    private func rotate(_ words: [String] = [], on broker: ScriptedBroker, _ witness: Witness) throws -> Report {
        guard case .rotate(let rotation) = outcome(["rotate", "key"] + words, on: broker.path) else {
            throw CommandFailure.usage("not a rotation")
        }
        return rotation.rotate(
            Rotation.Ports(
                tell: { witness.told.append($0) },
                pause: {
                    witness.paused += $0
                    witness.pauses += 1
                },
                elapsed: { witness.paused }
            )
        )
    }

    private var staged: ScriptedBroker.Answer {
        ScriptedBroker.answer(
            200,
            answer(#""version":3,"state":"staged","known":false"#, [version(2, "active"), version(3, "staged")])
        )
    }

    private var verified: ScriptedBroker.Answer {
        ScriptedBroker.answer(
            200,
            answer(#""version":3,"state":"verified""#, [version(2, "active"), version(3, "verified")])
        )
    }

    private var promoted: ScriptedBroker.Answer {
        let retiring = version(2, "retiring", #","retires_at":"2026-04-01T00:30:00Z""#)
        let members = #""version":3,"state":"active","replaced":2,"urgent":false"#
        return ScriptedBroker.answer(200, answer(members, [retiring, version(3, "active")]))
    }

    @Test("rotate stages, verifies and promotes, and tells each step")
    func rotation() throws {
        let (broker, witness) = (ScriptedBroker([staged, verified, promoted]), Witness())
        let report = try rotate(on: broker, witness)
        #expect(report.status == .done)
        #expect(
            witness.told == [
                "key: version 3 (a1b3) is staged", "key: asking the provider whether it takes version 3 (a1b3)",
                "key: version 3 (a1b3) is verified",
            ]
        )
        #expect(
            text(report) == """
                key: version 3 (a1b3) is in force
                Version 2 retires in 30m; until then this goes back to it: tokenbroker secret rollback key
                Refreshed over a quarter of their lifetimes: app, web

                """
        )
        #expect(
            broker.requests.map { $0.split(separator: " ")[1] }
                == ["/v1/secrets/key/stage", "/v1/secrets/key/verify", "/v1/secrets/key/promote"]
        )
        #expect(broker.requests[1].contains("\r\nPrefer: wait=50\r\n"))
    }

    @Test("rotate with --json prints the promotion's answer alone")
    func rotationJSON() throws {
        let report = try rotate(["--json"], on: ScriptedBroker([staged, verified, promoted]), Witness())
        #expect(text(report).hasPrefix("{\n"))
        #expect(text(report).contains(#""version": 3"#))
    }

    @Test("a refused value ends with 1, the provider's code, and that nothing changed")
    func refusedRotation() throws {
        let refusal = #"{"code":"provider_rejected_secret","detail":"no","provider_status":401,"provider_code":"BAD"}"#
        let witness = Witness()
        let report = try rotate(on: ScriptedBroker([staged, ScriptedBroker.answer(502, refusal)]), witness)
        #expect(report.status == .refusedByBroker)
        #expect(
            report.notes == [
                "tokenbroker: provider_rejected_secret: no", "the provider answered: status 401, code BAD",
                "Nothing changed: version 2 stays in force.",
            ]
        )
        #expect(witness.pauses == 0)
    }

    @Test("a provider that comes back within a minute is waited for, as long as it asks")
    func patientRotation() throws {
        let away = ScriptedBroker.answer(503, #"{"code":"provider_unavailable","detail":"away"}"#)
        let busy = ScriptedBroker.answer(503, #"{"code":"provider_rate_limited","detail":"busy","retry_after":7}"#)
        let witness = Witness()
        let report = try rotate(on: ScriptedBroker([staged, away, busy, verified, promoted]), witness)
        #expect(report.status == .done)
        #expect(witness.paused == .seconds(9))
        #expect(witness.told.contains("key: provider_unavailable: away; trying again in 2 s"))
        #expect(witness.told.contains("key: provider_rate_limited: busy; trying again in 7 s"))
    }

    @Test("a provider that stays away ends with 1 after a minute, and the value stays staged")
    func unreachableRotation() throws {
        let away = ScriptedBroker.answer(503, #"{"code":"provider_unavailable","detail":"away"}"#)
        let witness = Witness()
        let report = try rotate(on: ScriptedBroker([staged] + Array(repeating: away, count: 20)), witness)
        #expect(report.status == .refusedByBroker)
        #expect((.seconds(40) ..< .seconds(60)).contains(witness.paused))
        #expect(
            report.notes.last
                == "version 3 (a1b3) stays staged, and version 2 stays in force. Go on with: "
                + "tokenbroker secret verify key && tokenbroker secret promote key"
        )
    }

    @Test("a value that was replaced meanwhile is not said to be staged, and the other one is not put into force")
    func overtakenRotation() throws {
        let conflict = ScriptedBroker.answer(409, #"{"code":"conflict","detail":"it was replaced meanwhile"}"#)
        let last = "version 3 (a1b3) did not come into force; what is: tokenbroker secret list"
        for answers in [[staged, conflict], [staged, verified, conflict]] {
            let report = try rotate(on: ScriptedBroker(answers), Witness())
            #expect(report.status == .refusedByBroker)
            #expect(report.notes == ["tokenbroker: conflict: it was replaced meanwhile", last])
        }
        let other = answer(#""version":4,"state":"verified""#, [version(2, "active"), version(4, "verified")])
        let broker = ScriptedBroker([staged, ScriptedBroker.answer(200, other), promoted])
        let report = try rotate(on: broker, Witness())
        #expect(report.status == .refusedByBroker)
        let first = "version 3 (a1b3) was replaced meanwhile by version 4 (a1b4), which is verified now"
        #expect(report.notes == ["tokenbroker: \(first)", last])
        #expect(broker.requests.count == 2)
    }

    @Test("a provider that calls our request wrong is not asked again")
    func wrongRequest() throws {
        let wrong = ScriptedBroker.answer(502, #"{"code":"provider_rejected_request","detail":"product"}"#)
        let witness = Witness()
        let report = try rotate(on: ScriptedBroker([staged, wrong]), witness)
        #expect(report.status == .refusedByBroker)
        #expect(witness.pauses == 0)
        #expect(report.notes.last?.contains("stays staged") == true)
    }

    @Test("a broker that goes away meanwhile ends with 69, and says how to go on")
    func brokerGone() throws {
        let report = try rotate(on: ScriptedBroker([staged]), Witness())
        #expect(report.status == .unavailable)
        #expect(report.notes.last?.contains("Go on with: tokenbroker secret verify key") == true)
    }

    @Test("a promotion that is not taken leaves the value verified, and says how to go on")
    func unkept() throws {
        let unkept = ScriptedBroker.answer(500, #"{"code":"internal","detail":"disk"}"#)
        let report = try rotate(on: ScriptedBroker([staged, verified, unkept]), Witness())
        #expect(report.status == .refusedByBroker)
        #expect(
            report.notes.last == "version 3 (a1b3) stays verified; go on with: tokenbroker secret promote key"
        )
    }

    @Test(
        "a value that is in force at once, or already, needs no more",
        arguments: [
            ("false", "key: version 1 (a1b1) is in force at once: it is the first value, not proven yet\n"),
            ("true", "key: this is version 1 (a1b1), which is in force already\n"),
        ]
    )
    func nothingToProve(_ known: String, _ expected: String) throws {
        let answer = answer(#""version":1,"state":"active","known":\#(known)"#, [version(1, "active")])
        let (broker, witness) = (ScriptedBroker([ScriptedBroker.answer(200, answer)]), Witness())
        let report = try rotate(on: broker, witness)
        #expect(report.status == .done)
        #expect(text(report) == expected)
        #expect(witness.told.isEmpty)
    }

    @Test("what the broker says to a value for a file is passed on")
    func fileSecret() throws {
        let conflict = ScriptedBroker.answer(409, #"{"code":"conflict","detail":"write it to /etc/key"}"#)
        let report = try rotate(on: ScriptedBroker([conflict]), Witness())
        #expect(report.status == .refusedByBroker)
        #expect(report.notes == ["tokenbroker: conflict: write it to /etc/key"])
    }
}
