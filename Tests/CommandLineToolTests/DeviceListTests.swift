import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Registered devices", .blocking)
struct DeviceListTests {
    private func run(_ arguments: [String], _ answers: [ScriptedBroker.Answer]) throws -> (Report, [String]) {
        let broker = ScriptedBroker(answers)
        let arguments = ["device"] + arguments + ["--socket", broker.path]
        let outcome = Tool.outcome(arguments, Surroundings(now: 1_775_000_100))
        guard case .report(let report) = outcome else { throw CommandFailure.usage("not a report: \(outcome)") }
        return (report, broker.requests.map { String($0.prefix { $0 != "\r\n" }) })
    }

    private func device(_ name: String) -> String {
        #"{"device_id":"\#(name)","app_id":"T.a","environment":"production","counter":1,"#
            + #""registered_at":1774996500,"last_seen_at":1775000000}"#
    }

    @Test("are listed, page after page")
    func list() throws {
        let first = #"{"devices":[\#(device("dev_a1"))],"next":"dev_a1"}"#
        let second = #"{"devices":[\#(device("dev_b2"))]}"#
        let answers = [first, second].map { ScriptedBroker.answer(200, $0) }
        let (report, requests) = try run(["list"], answers)
        #expect(
            String(decoding: report.output, as: UTF8.self) == """
                DEVICE  APP  ENVIRONMENT  REGISTERED  LAST SEEN
                dev_a1  T.a  production   1h ago      1m ago
                dev_b2  T.a  production   1h ago      1m ago

                """
        )
        #expect(requests == ["GET /v1/devices HTTP/1.1", "GET /v1/devices?after=dev_a1 HTTP/1.1"])
    }

    @Test("are listed for scripts in one document")
    func json() throws {
        let answer = ScriptedBroker.answer(200, #"{"devices":[\#(device("dev_a1"))]}"#)
        let (report, _) = try run(["list", "--json"], [answer])
        #expect(String(decoding: report.output, as: UTF8.self).contains(#""device_id""#))
    }

    @Test("are revoked, with a word where the store does not keep it", arguments: [true, false])
    func revoke(_ isKept: Bool) throws {
        let answer = ScriptedBroker.answer(200, #"{"device_id":"dev_a1","revoked":true,"stored":\#(isKept)}"#)
        let (report, requests) = try run(["revoke", "dev_a1"], [answer])
        #expect(String(decoding: report.output, as: UTF8.self) == "dev_a1: revoked\n")
        #expect(report.notes.isEmpty == isKept)
        #expect(requests == ["DELETE /v1/devices/dev_a1 HTTP/1.1"])
    }

    @Test("are not called what could be another request", arguments: ["dev_", "web", "dev_a/b", "dev_a b", "dev_A"])
    func names(_ name: String) throws {
        let (report, requests) = try run(["revoke", name], [])
        #expect(report.status == .usage)
        #expect(requests.isEmpty)
    }
}
