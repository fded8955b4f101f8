import Foundation
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("The device policy from the command line", .blocking)
struct PolicyTests {
    private static func policy(
        _ revision: Int,
        _ mode: String,
        source: String = "stored",
        file: String = "\"off\""
    ) -> String {
        """
        {"revision":\(revision),"source":"\(source)","routes":{"ac-token":"\(mode)"},
         "apps":[{"app_id":"TEAMID.com.example.app","environments":["production"]}],
         "effective":{"ac-token":{"mode":"\(mode)","file":\(file),"stored":"\(mode)"}},
         "observed":{"ac-token":{"verified":95,"missing":4,"failed":1}}}
        """
    }

    private static let stale = ScriptedBroker.answer(412, #"{"code":"precondition_failed","detail":"read it again"}"#)

    private let folder = FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString)")

    private func file(_ text: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "policy.json")
        try Data(text.utf8).write(to: path)
        return path.path()
    }

    private func run(_ arguments: [String], _ broker: ScriptedBroker, input: String = "") throws -> Report {
        var surroundings = Surroundings()
        surroundings.readInput = { Array(input.utf8) }
        let words = ["device", "policy"] + arguments + ["--socket", broker.path]
        guard case .report(let report) = Tool.outcome(words, surroundings) else {
            throw CommandFailure.usage("not a report")
        }
        return report
    }

    private func text(_ report: Report) -> String { String(decoding: report.output, as: UTF8.self) }

    @Test("get shows the modes, what they come from, and what enforce would do")
    func get() throws {
        let broker = ScriptedBroker([ScriptedBroker.answer(200, Self.policy(7, "monitor"))])
        let report = try run(["get"], broker)
        #expect(
            text(report) == """
                set at revision 7

                ROUTE     MODE     FILE  SET      VERIFIED  MISSING  FAILED
                ac-token  monitor  off   monitor  95        4        1
                  enforce would have turned away 5 of 100 requests

                APP                     ENVIRONMENTS
                TEAMID.com.example.app  production

                """
        )
        #expect(broker.requests.count == 1)
        #expect(broker.requests.first?.hasPrefix("GET /v1/device-policy HTTP/1.1\r\n") == true)
    }

    @Test("get says which gates a lost store would open", arguments: ["enforce", "off"])
    func unkeyed(_ mode: String) throws {
        let bare = ScriptedBroker([ScriptedBroker.answer(200, Self.policy(7, mode, file: "null"))])
        #expect(try text(run(["get"], bare)).contains("open while what was set cannot") == (mode == "enforce"))
        let keyed = ScriptedBroker([ScriptedBroker.answer(200, Self.policy(7, mode))])
        #expect(try !text(run(["get"], keyed)).contains("open while"))
    }

    @Test("get says where nothing is set, and where nobody knows what is")
    func origins() throws {
        let file = ScriptedBroker([ScriptedBroker.answer(200, Self.policy(0, "off", source: "file"))])
        #expect(try text(run(["get"], file)).hasPrefix("nothing is set: the configuration file decides\n"))
        let lost = #"{"revision":0,"source":"unreadable","problem":"it is lost","routes":{},"apps":[],"effective":{}}"#
        #expect(
            try text(run(["get"], ScriptedBroker([ScriptedBroker.answer(200, lost)]))) == """
                not known what was set, gates enforce: it is lost

                no routes are configured

                no app's devices are accepted

                """
        )
    }

    @Test("set reads the revision by itself and sends the file as it is")
    func set() throws {
        let body = #"{"routes":{"ac-token":"enforce"}}"#
        let broker = ScriptedBroker([
            ScriptedBroker.answer(200, Self.policy(7, "monitor")),
            ScriptedBroker.answer(200, Self.policy(8, "enforce")),
        ])
        let report = try run(["set", file(body)], broker)
        #expect(text(report) == "policy set, revision 8\n")
        #expect(report.status == .done)
        #expect(broker.requests.last?.hasPrefix("PUT /v1/device-policy HTTP/1.1\r\n") == true)
        #expect(broker.requests.last?.contains("\r\nIf-Match: \"7\"\r\n") == true)
        #expect(broker.requests.last?.hasSuffix("\r\n\r\n" + body) == true)
    }

    @Test("set takes the revision that the file names, so that what get printed is set only where it still holds")
    func namedRevision() throws {
        let broker = ScriptedBroker([ScriptedBroker.answer(200, Self.policy(6, "enforce"))])
        _ = try run(["set", "-"], broker, input: Self.policy(5, "enforce"))
        #expect(broker.requests.count == 1)
        #expect(broker.requests.last?.contains("\r\nIf-Match: \"5\"\r\n") == true)
    }

    @Test("set prints the difference where somebody was faster, and changes nothing")
    func conflict() throws {
        let wish = """
            {"revision":5,"routes":{"ac-token":"enforce"},
             "apps":[{"app_id":"TEAMID.com.example.app"},{"app_id":"TEAMID.com.example.new"}]}
            """
        let now = Self.policy(6, "monitor").replacing(#""routes":{"#, with: #""routes":{"other":"off","#)
        let broker = ScriptedBroker([Self.stale, ScriptedBroker.answer(200, now)])
        let report = try run(["set", file(wish)], broker)
        #expect(report.status == .refusedByBroker)
        #expect(
            text(report) == """
                --- now
                +++ in the file
                - route ac-token: monitor
                + route ac-token: enforce
                + app TEAMID.com.example.new: production

                """
        )
        #expect(report.notes.first == "tokenbroker: precondition_failed: read it again")
        #expect(report.notes.last?.contains("'revision'") == true)
        #expect(broker.requests.count == 2)
    }

    @Test("set --reset goes back to the file's, unless somebody was faster")
    func reset() throws {
        let done = ScriptedBroker([
            ScriptedBroker.answer(200, Self.policy(7, "enforce")),
            ScriptedBroker.answer(200, Self.policy(8, "off", source: "file")),
        ])
        #expect(try text(run(["set", "--reset"], done)) == "policy is the configuration file's, revision 8\n")
        #expect(done.requests.last?.hasPrefix("DELETE /v1/device-policy HTTP/1.1\r\n") == true)
        #expect(done.requests.last?.contains("\r\nIf-Match: \"7\"\r\n") == true)
        let late = ScriptedBroker([
            ScriptedBroker.answer(200, Self.policy(7, "enforce")), Self.stale,
            ScriptedBroker.answer(200, Self.policy(8, "monitor")),
        ])
        let report = try run(["set", "--reset"], late)
        #expect(report.status == .refusedByBroker)
        #expect(text(report).hasSuffix("- route ac-token: monitor\n+ route ac-token: enforce\n"))
    }

    @Test("a change that the broker refuses is told in its words")
    func refused() throws {
        let broker = ScriptedBroker([
            ScriptedBroker.answer(200, Self.policy(7, "monitor")),
            ScriptedBroker.answer(409, #"{"code":"conflict","detail":"no app is accepted"}"#),
        ])
        let report = try run(["set", file("{}")], broker)
        #expect(report.status == .refusedByBroker)
        #expect(report.notes == ["tokenbroker: conflict: no app is accepted"])
        #expect(report.output.isEmpty)
    }

    @Test(
        "set is refused without a policy, or with two, before the broker is asked",
        arguments: [
            (["set"], "needs either FILE or --reset"), (["set", "-", "--reset"], "needs either FILE or --reset"),
            (["set", "-"], "is not JSON"), (["set", "/nowhere/policy.json"], "cannot read '/nowhere/policy.json'"),
        ]
    )
    func usage(arguments: [String], complaint: String) throws {
        let report = try run(arguments, ScriptedBroker([]))
        #expect(report.status == .usage)
        #expect(report.notes.first?.contains(complaint) == true, "\(report.notes)")
    }

    @Test("a control character from the broker does not reach the terminal")
    func controlCharacters() throws {
        let body = Self.policy(7, "monitor").replacing("TEAMID", with: #"\u001bTEAMID"#)
        let broker = ScriptedBroker([ScriptedBroker.answer(200, body)])
        #expect(try !run(["get"], broker).output.contains(0x1B))
    }
}
