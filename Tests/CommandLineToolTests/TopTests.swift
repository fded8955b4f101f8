import JSON
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("The status on a terminal", .blocking)
struct TopTests {
    private static let status = """
        {"version":"1","ready":false,"tokens":[
          {"name":"a-ready","state":"ready"},
          {"name":"b-degraded","state":"degraded","failures_in_a_row":1},
          {"name":"c-degraded","state":"degraded","failures_in_a_row":4},
          {"name":"d-new-state","state":"on_fire"},
          {"name":"e-rejected","state":"secret_rejected"},
          {"name":"f-ready","state":"ready"},
          {"name":"g-odd"}]}
        """

    private let order = ["e-rejected", "d-new-state", "g-odd", "c-degraded", "b-degraded", "a-ready", "f-ready"]

    @Test("has the worst token first, and what is not known before what is well")
    func worstFirst() throws {
        let sorted = StatusOrder.worstFirst(try JSONValue(parsing: Array(Self.status.utf8)))
        #expect(sorted["tokens"]?.array?.compactMap { $0["name"]?.string } == order)
        #expect(sorted["version"] == "1")
        #expect(StatusOrder.worstFirst(["a": 1]) == ["a": 1])
    }

    @Test("is printed once where there is no terminal")
    func once() throws {
        let server = ScriptedServer(Self.status)
        guard case .report(let report) = Tool.outcome(["top", "--socket", server.path], Surroundings()) else {
            Issue.record("not a report")
            return
        }
        let text = String(decoding: report.output, as: UTF8.self)
        let names = text.split(separator: "\n").compactMap { line in order.first { line.hasPrefix($0) } }
        #expect(names == order)
        #expect(!text.contains("\u{1B}"))
        #expect(server.request.hasPrefix("GET /v1/status "))
    }

    @Test("is not drawn for whom the socket refuses")
    func refused() {
        let server = ScriptedServer(status: 403, #"{"code":"not_permitted"}"#)
        let outcome = Tool.outcome(["top", "--socket", server.path], Surroundings(outputIsTerminal: true))
        guard case .report(let report) = outcome else {
            Issue.record("it was drawn")
            return
        }
        #expect(report.status == .notPermitted)
    }

    @Test("is drawn when the broker answers a terminal")
    func drawn() {
        let server = ScriptedServer(Self.status)
        let surroundings = Surroundings(variables: ["TERM": "xterm"], outputIsTerminal: true)
        let outcome = Tool.outcome(["top", "--socket", server.path], surroundings)
        #expect(outcome == .top(Top(socketPath: server.path, variables: ["TERM": "xterm"])))
    }

    @Test("fits the terminal, and says how much does not")
    func fits() {
        let whole = Top(socketPath: ScriptedServer(Self.status).path, variables: [:]).frame(now: 0, rows: 100)
        #expect(whole.count == 10)
        let exact = Top(socketPath: ScriptedServer(Self.status).path, variables: [:]).frame(now: 0, rows: 10)
        #expect(exact == whole)
        let cut = Top(socketPath: ScriptedServer(Self.status).path, variables: [:]).frame(now: 0, rows: 6)
        #expect(cut.count == 6)
        #expect(cut.last == "… 5 more lines: 'tokenbroker status'")
        #expect(Array(cut.dropLast()) == Array(whole.prefix(5)))
    }

    @Test("tells that the broker is gone, and nothing from it acts on the terminal")
    func gone() {
        let frame = Top(socketPath: "/nonexistent/\u{1B}[2Jx", variables: [:]).frame(now: 0, rows: 24)
        #expect(frame.first?.contains("no broker listens") == true)
        #expect(frame.allSatisfy { !$0.contains("\u{1B}") })
    }
}
