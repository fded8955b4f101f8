import Glibc
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("The audit log in the tool", .blocking)
struct AuditTests {
    private final class World {
        var output = ""
        var notes: [String] = []
        var pauses: [Duration] = []
        /// How many pauses there may be before the reader goes away.
        var patience = 1000

        var lines: [Substring] { output.split(separator: "\n") }

        var ports: StreamPorts {
            StreamPorts(
                write: { [self] bytes in
                    output += String(decoding: bytes, as: UTF8.self)
                    return nil
                },
                note: { [self] in notes.append($0) },
                pause: { [self] in pauses.append($0) },
                isReaderGone: { [self] in pauses.count >= patience }
            )
        }
    }

    private static func page(_ events: [String], next: Int) -> ScriptedBroker.Answer {
        ScriptedBroker.answer(200, #"{"events":[\#(events.joined(separator: ","))],"next":\#(next)}"#)
    }

    private static let mint =
        #"{"sequence":1,"at":1775000000,"kind":"mint","action":"mint","subject":"web","outcome":"ok","detail":null,"#
        + #""count":1,"uid":null,"pid":null,"unit":null}"#
    private static let denial =
        #"{"sequence":2,"at":1775000001,"kind":"denial","action":"tokens","subject":"web","outcome":"unknown_token","#
        + #""detail":"no grant","count":3,"uid":1000,"pid":42,"unit":"api.service"}"#

    private func listing(_ broker: ScriptedBroker, follows: Bool = false, isJSON: Bool = false) -> AuditListing {
        AuditListing(socketPath: broker.path, since: nil, follows: follows, isJSON: isJSON)
    }

    @Test("prints a line for each event")
    func text() {
        let broker = ScriptedBroker([Self.page([Self.mint, Self.denial], next: 2)])
        let world = World()
        #expect(listing(broker).print(world.ports) == Report())
        #expect(
            world.lines == [
                "2026-03-31T23:33:20Z mint mint web: ok",
                "2026-03-31T23:33:21Z denial tokens web: unknown_token (no grant), 3 times, by uid 1000, pid 42, "
                    + "api.service",
            ]
        )
        #expect(broker.requests.first?.hasPrefix("GET /v1/audit?after=0&limit=1000 ") == true)
    }

    @Test("prints each event as a line of JSON, safe on a terminal")
    func json() {
        let event = #"{"sequence":1,"detail":"\#u{7F}x"}"#
        let world = World()
        let broker = ScriptedBroker([Self.page([Self.mint, event], next: 2)])
        #expect(listing(broker, isJSON: true).print(world.ports) == Report())
        #expect(world.lines == [Substring(Self.mint), #"{"sequence":1,"detail":"\u007fx"}"#])
    }

    @Test("asks on where a page was full")
    func pages() {
        let full = (1...1000).map { #"{"sequence":\#($0),"at":0,"kind":"mint"}"# }
        let broker = ScriptedBroker([Self.page(full, next: 1000), Self.page([Self.denial], next: 1001)])
        let world = World()
        #expect(listing(broker).print(world.ports) == Report())
        #expect(world.lines.count == 1001)
        #expect(broker.requests.last?.hasPrefix("GET /v1/audit?after=1000&limit=1000 ") == true)
    }

    @Test("goes on with what comes, through a restart of the broker, which it tells of once")
    func follow() {
        let broker = ScriptedBroker([
            Self.page([Self.mint], next: 1), Self.page([], next: 1), nil, nil, Self.page([Self.denial], next: 2),
        ])
        let world = World()
        world.patience = 5
        #expect(listing(broker, follows: true).print(world.ports) == Report())
        #expect(world.lines.count == 2)
        #expect(world.notes.count == 1)
        #expect(world.pauses == Array(repeating: .seconds(1), count: 5))
        #expect(broker.requests.last?.contains("after=1&") == true)
    }

    @Test("ends when the broker says no, and when there never was one")
    func refused() {
        let broker = ScriptedBroker([ScriptedBroker.answer(403, #"{"code":"not_permitted"}"#)])
        #expect(listing(broker, follows: true).print(World().ports).status == .notPermitted)
        let nobody = AuditListing(socketPath: "/nonexistent/socket", since: nil, follows: true, isJSON: false)
        #expect(nobody.print(World().ports).status == .unavailable)
    }

    @Test("counts --since back from now")
    func since() {
        let surroundings = Surroundings(now: 1_775_003_600)
        let outcome = Tool.outcome(["audit", "--since", "1h", "--follow", "--socket", "/s"], surroundings)
        #expect(
            outcome
                == .audit(AuditListing(socketPath: "/s", since: 1_775_000_000, follows: true, isJSON: false))
        )
        guard case .report(let report) = Tool.outcome(["audit", "--since", "yesterday"], surroundings) else {
            Issue.record("not refused")
            return
        }
        #expect(report.status == .usage)
    }

    private func verify(_ answer: String, _ options: String...) -> (Report?, ScriptedBroker) {
        let broker = ScriptedBroker([ScriptedBroker.answer(200, answer)])
        let outcome = Tool.outcome(["audit", "verify", "--socket", broker.path] + options, Surroundings())
        guard case .report(let report) = outcome else { return (nil, broker) }
        return (report, broker)
    }

    @Test("says that the log is valid, and ends with 0")
    func valid() throws {
        let answer =
            #"{"valid":true,"chains":[{"class":"operator","valid":true,"rows":2,"first":1,"last":4,"pruned":0,"#
            + #""pruned_through":null,"head":"operator:4:00","first_bad":null,"reason":null}],"gaps":1}"#
        let (found, broker) = verify(answer)
        let report = try #require(found)
        #expect(report.status == .done)
        let lines = String(decoding: report.output, as: UTF8.self).split(separator: "\n")
        #expect(
            lines == [
                "CLASS     ROWS  FIRST  LAST  PRUNED  STATE", "operator  2     1      4     0       ok",
                "the audit log is valid; once, events went to the journal alone",
            ]
        )
        #expect(broker.requests.first?.hasPrefix("GET /v1/audit/verify ") == true)
    }

    @Test("says what is wrong with a log that somebody changed, and ends with 1", arguments: [false, true])
    func invalid(isJSON: Bool) throws {
        let answer =
            #"{"valid":false,"chains":[{"class":"operator","valid":false,"rows":2,"first":1,"last":4,"pruned":0,"#
            + #""first_bad":4,"reason":"row 4 was changed"}],"gaps":0}"#
        let head = "operator:4:0aff"
        let (found, broker) = isJSON ? verify(answer, "--head", head, "--json") : verify(answer, "--head", head)
        let report = try #require(found)
        #expect(report.status == .refusedByBroker)
        let text = String(decoding: report.output, as: UTF8.self)
        #expect(text.contains("row 4 was changed"))
        #expect(text.contains("NOT valid") == !isJSON)
        #expect(broker.requests.first?.hasPrefix("GET /v1/audit/verify?head=operator%3A4%3A0aff ") == true)
    }
}
