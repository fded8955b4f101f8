import Glibc
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import CommandLineTool

@Suite("What the doctor looks at", .blocking)
struct DiagnosisTests {
    private static let status = #"{"version":"\#(Product.version)","pid":7,"store":{"state":"serving"},"tokens":[]}"#

    private func run(_ arguments: [String], admin: String, apps: String = "/nowhere/apps.sock") throws -> Report {
        let variables = [BrokerSocket.admin.variable: admin, BrokerSocket.apps.variable: apps]
        guard case .report(let report) = Tool.outcome(arguments, Surroundings(variables: variables)) else {
            throw CommandFailure.usage("not a report")
        }
        return report
    }

    private func codes(_ report: Report) throws -> [String] {
        try JSONValue(parsing: report.output).array?.compactMap { $0["code"]?.string } ?? []
    }

    @Test("asks the daemon for its status and for what it sees, and the apps socket whether it answers")
    func asks() throws {
        let admin = ScriptedBroker([ScriptedBroker.answer(200, Self.status), ScriptedBroker.answer(200, "{}")])
        let apps = ScriptedBroker([ScriptedBroker.answer(200, #"{"status":"ok"}"#)])
        let report = try run(["doctor", "--json"], admin: admin.path, apps: apps.path)
        #expect(
            admin.requests.map { $0.prefix { !$0.isNewline } } == [
                "GET /v1/status HTTP/1.1", "POST /v1/examination HTTP/1.1",
            ]
        )
        #expect(apps.requests.map { $0.prefix { !$0.isNewline } } == ["GET /healthz HTTP/1.1"])
        let codes = try codes(report)
        #expect(codes.starts(with: ["daemon_serves", "store_serves", "configuration_valid"]))
        #expect(!codes.contains("socket_silent"))
    }

    @Test("memory of secrets that may be swapped out is a warning", arguments: [0, 65536])
    func unlockedMemory(_ bytes: Int) throws {
        let status = Self.status.dropLast() + #","secret_memory":{"locked_bytes":0,"unlocked_bytes":\#(bytes)}}"#
        let admin = ScriptedBroker([ScriptedBroker.answer(200, String(status)), ScriptedBroker.answer(200, "{}")])
        let codes = try codes(try run(["doctor", "--json"], admin: admin.path))
        #expect(codes.contains("memory_unlocked") == (bytes > 0))
    }

    @Test("an apps socket without an answer is a fault, whatever the admin socket says")
    func silentApps() throws {
        let admin = ScriptedBroker([ScriptedBroker.answer(200, Self.status), ScriptedBroker.answer(200, "{}")])
        let report = try run(["doctor", "--json"], admin: admin.path)
        #expect(report.status == .faultFound)
        #expect(try codes(report).contains("socket_silent"))
    }

    @Test("a daemon that knows no examination, or takes too long for it, is asked for no more", arguments: [404, 504])
    func saysLittle(status: Int) throws {
        let problem = ScriptedBroker.answer(status, #"{"code":"not_found","detail":"no such path"}"#)
        let report = try run(
            ["doctor", "--json"],
            admin: ScriptedBroker([ScriptedBroker.answer(200, Self.status), problem]).path
        )
        #expect(report.status == .done)
        #expect(try codes(report) == ["daemon_serves", "store_serves", "daemon_says_little"])
    }

    @Test("a user whom the socket refuses ends with 77, an observer too")
    func notPermitted() throws {
        let refusal = ScriptedBroker.answer(403, #"{"code":"not_permitted"}"#)
        #expect(try run(["doctor"], admin: ScriptedBroker([refusal]).path).status == .notPermitted)
        let observed = ScriptedBroker([ScriptedBroker.answer(200, Self.status), refusal])
        #expect(try run(["doctor"], admin: observed.path).status == .notPermitted)
    }

    @Test("without a daemon the files are looked at as it would")
    func noDaemon() throws {
        let directory = ScriptedServer.makeDirectory()
        defer { for name in ["c.yaml", "key"] { unlink("\(directory)/\(name)") }; rmdir(directory) }
        try write("\(directory)/key", "sk_v1_x", mode: 0o644)
        try write(
            "\(directory)/c.yaml",
            "secrets: { s: { file: \(directory)/key }, c: { credential: c } }\n",
            mode: 0o600
        )
        let report = try run(["doctor", "--json", "\(directory)/c.yaml"], admin: "/nowhere/admin.sock")
        #expect(report.status == .faultFound)
        #expect(
            try codes(report).filter { $0 != "seen_without_root" } == [
                "daemon_absent", "configuration_valid", "secret_unusable",
            ]
        )
        #expect(String(decoding: report.output, as: UTF8.self).contains("\"chmod o= \(directory)/key\""))
        try write("\(directory)/c.yaml", "nonsense: 1\n", mode: 0o600)
        let invalid = try run(["doctor", "--json", "\(directory)/c.yaml"], admin: "/nowhere/admin.sock")
        #expect(try codes(invalid).last == "configuration_invalid")
    }

    private func write(_ path: String, _ text: String, mode: mode_t) throws {
        let file = try #require(fopen(path, "we"))
        fputs(text, file)
        fclose(file)
        chmod(path, mode)
    }
}

@Suite("What the daemon's answers come to")
struct AnswerFindingTests {
    private func status(_ text: String) throws -> [Finding] {
        StatusFindings(try JSONValue(parsing: Array(text.utf8))).all
    }

    private func examination(_ text: String, status: String = "{}") throws -> [Finding] {
        let status = try JSONValue(parsing: Array(status.utf8))
        return ExaminationFindings(try JSONValue(parsing: Array(text.utf8)), status: status, host: HostNames()).all
            .filter { $0 != .configurationValid(path: Installation.configurationPath) }
    }

    @Test("a daemon of another version, and a store that fails")
    func storeFails() throws {
        let findings = try status(
            #"""
            {"version":"0.0.9","pid":7,"tokens":[],"store":
              {"state":"wrong_key","detail":"not this key","set_aside":"/s.old","unreadable_rows":2}}
            """#
        )
        #expect(
            findings == [
                .daemonServes(version: "0.0.9", pid: "7"), .daemonOfAnotherVersion("0.0.9"),
                .storeFails(state: "wrong_key", reason: "not this key"), .storeSetAside(path: "/s.old"),
                .storeRowsUnreadable(count: 2),
            ]
        )
    }

    @Test("no store is one that is not configured")
    func storeAbsent() throws {
        #expect(try status(#"{"version":"\#(Product.version)","pid":7,"store":null}"#).last == .storeAbsent)
    }

    @Test("a device policy that is not known, by the store's fault and without one; the file has no part in it")
    func devicePolicy() throws {
        let lost = #""device_policy":"lost","warnings":["lost","hm"],"configuration":{"path":"/c"}"#
        let serving = try status(#"{\#(lost),"store":{"state":"serving"}}"#)
        #expect(serving.last == .gatesClosed(reason: "lost", storeServes: true))
        let failing = try status(#"{\#(lost),"store":{"state":"wrong_key"}}"#)
        #expect(failing.last == .gatesClosed(reason: "lost", storeServes: false))
        #expect(
            try examination("{}", status: "{\(lost)}") == [
                .configurationValid(path: "/c"), .configurationDoubtful(path: "/c", warning: "hm"),
            ]
        )
    }

    @Test("tokens that cannot be minted: those for which waiting may help, and those for which it does not")
    func tokens() throws {
        let findings = try status(
            #"""
            {"tokens":[{"name":"a","state":"ready"},{"name":"b","state":"backing_off"},{"name":"c","state":"degraded",
               "last_error":{"detail":"503"}},
             {"name":"i","state":"idle"},{"name":"d","state":"secret_rejected","last_error":{"detail":"refused"}},
             {"name":"e","state":"misconfigured","last_error":{"detail":"no product"}},
             {"name":"f","state":"session_lost","last_error":null}]}
            """#
        )
        #expect(
            findings.suffix(5) == [
                .tokenFailsForNow(name: "b", state: "backing_off", reason: "'tokenbroker status' says why"),
                .tokenFailsForNow(name: "c", state: "degraded", reason: "503"),
                .tokenWaitsForSomebody(name: "d", state: "secret_rejected", reason: "refused"),
                .tokenWaitsForSomebody(name: "e", state: "misconfigured", reason: "no product"),
                .tokenWaitsForSomebody(name: "f", state: "session_lost", reason: "'tokenbroker status' says why"),
            ]
        )
        #expect(findings.count == 8)
    }

    @Test("a configuration that a reload would not take, one that it would by now, and one that is doubtful")
    func configuration() throws {
        let path = #""configuration":{"path":"/c","last_error":"x"}"#
        let invalid = try examination(#"{"configuration_problems":["/c:1:1: a","b"]}"#, status: "{\(path)}")
        #expect(
            invalid == [
                .configurationInvalid(path: "/c", problem: "/c:1:1: a"),
                .configurationInvalid(path: "/c", problem: "b"),
            ]
        )
        let mended = try examination(#"{"configuration_problems":[]}"#, status: #"{\#(path),"warnings":["hm"]}"#)
        #expect(mended == [.configurationNotLoaded(path: "/c"), .configurationDoubtful(path: "/c", warning: "hm")])
    }

    @Test("secrets that can be read and that cannot")
    func secrets() throws {
        let findings = try examination(
            #"{"secrets":[{"name":"a","fault":null},{"name":"b","fault":{"text":"it is open","remedy":"chmod o= /b"}}]}"#
        )
        #expect(
            findings == [
                .secretReadable(name: "a"), .secretUnusable(name: "b", reason: "it is open", remedy: "chmod o= /b"),
            ]
        )
    }

    @Test("a secret whose file can be read and holds what is not taken")
    func refusedSecret() throws {
        let status = #"""
            {"secrets":[{"name":"a","candidate":{"refused":true},"problem":"secret a: version 5 is not taken"},
             {"name":"b","candidate":{"refused":false},"problem":"x"},{"name":"c","candidate":null,"problem":null}]}
            """#
        let secrets = ["a", "b", "c"].map { #"{"name":"\#($0)","fault":null}"# }.joined(separator: ",")
        #expect(
            try examination(#"{"secrets":[\#(secrets)]}"#, status: status) == [
                .secretValueRefused(name: "a", reason: "secret a: version 5 is not taken"), .secretReadable(name: "b"),
                .secretReadable(name: "c"),
            ]
        )
    }

    @Test("providers that answer and that do not")
    func providers() throws {
        let findings = try examination(
            #"""
            {"providers":[{"name":"a","origin":"https://a","milliseconds":12,"clock_skew_ms":-4999},
             {"name":"b","origin":"https://b","milliseconds":1,"clock_skew_ms":5000},
             {"name":"c","origin":"https://c","failure":{"code":"timed_out","text":"c: no connection in time"}}]}
            """#
        )
        #expect(
            findings == [
                .providerReached(name: "a", origin: "https://a", milliseconds: 12), .clockAgrees(provider: "a"),
                .providerReached(name: "b", origin: "https://b", milliseconds: 1),
                .clockOff(provider: "b", milliseconds: 5000),
                .providerUnreachable(
                    name: "c",
                    origin: "https://c",
                    code: "timed_out",
                    reason: "c: no connection in time"
                ),
            ]
        )
    }

    @Test("the clock of a provider that tells no time at its root is the one its last token came with")
    func clockOfToken() throws {
        let text = #"{"providers":[{"name":"a","origin":"o","milliseconds":1,"clock_skew_ms":null}]}"#
        let status = #"""
            {"tokens":[{"provider":"b","clock_skew_ms":1},{"provider":"a","clock_skew_ms":null},
             {"provider":"a","clock_skew_ms":-120000}]}
            """#
        #expect(try examination(text, status: status).last == .clockOff(provider: "a", milliseconds: -120_000))
        #expect(try examination(text) == [.providerReached(name: "a", origin: "o", milliseconds: 1)])
    }

    @Test("what holds the daemon in, and what does not")
    func process() throws {
        let held = #"""
            {"connections_per_uid":16384,"process":{"uid":998,"may_gain_privileges":false,"may_call_everything":false,
             "has_capabilities":false,"traceable":false,"open_files":32768}}
            """#
        #expect(try examination(held) == [.confined])
        let loose = #"""
            {"connections_per_uid":16384,"process":{"uid":0,"may_gain_privileges":true,"may_call_everything":true,
             "has_capabilities":true,"traceable":true,"open_files":16384}}
            """#
        #expect(
            try examination(loose) == [
                .confinementMissing(.privileges), .confinementMissing(.systemCalls), .confinementMissing(.capabilities),
                .confinementMissing(.tracing), .runsAsRoot, .filesScarce(limit: 16384, connectionsPerUser: 16384),
            ]
        )
    }

    @Test("what the sandbox hides that the daemon has to recognise, by names where the host has any")
    func unseen() throws {
        #expect(try examination(#"{"unseen":{"users":[],"groups":[],"processes":false,"boot":false}}"#) == [])
        let blind = #"{"unseen":{"users":[0,4000000001],"groups":[4000000002],"processes":true,"boot":true}}"#
        #expect(
            try examination(blind) == [
                .callersUnseen(["user root", "user 4000000001", "group 4000000002"]), .processesUnseen, .bootUnseen,
            ]
        )
    }
}
