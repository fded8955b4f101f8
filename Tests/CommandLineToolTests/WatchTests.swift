import Glibc
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Watching a token", .blocking)
struct WatchTests {
    /// What a watch did to the world, until somebody has seen enough.
    private final class World {
        var lines: [String] = []
        var notes: [String] = []
        var pauses: [Duration] = []
        var writeErrors: [Int32?] = []
        /// How many lines and pauses there may be before the reader goes away.
        var patience = 1000

        var ports: Watch.Ports {
            Watch.Ports(
                write: { [self] bytes in
                    lines.append(String(decoding: bytes, as: UTF8.self))
                    return writeErrors.isEmpty ? nil : writeErrors.removeFirst()
                },
                note: { [self] in notes.append($0) },
                pause: { [self] in pauses.append($0) },
                isReaderGone: { [self] in lines.count + pauses.count >= patience }
            )
        }
    }

    private func watch(_ broker: ScriptedBroker) -> Watch {
        Watch(socketPath: broker.path, target: "/v1/tokens/web")
    }

    private let notFound = ScriptedBroker.answer(404, #"{"code":"unknown_token","detail":"no"}"#)

    @Test("prints the present token, then each new generation, and ends when there is no such token")
    func generations() {
        let broker = ScriptedBroker([
            ScriptedBroker.token(7), ScriptedBroker.answer(304), ScriptedBroker.token(8), ScriptedBroker.token(9),
            notFound,
        ])
        let world = World()
        let report = watch(broker).follow(world.ports)
        #expect(world.lines == [7, 8, 9].map { "{\"access_token\":\"at_v1_\($0)\",\"generation\":\($0)}\n" })
        #expect(world.notes.isEmpty)
        #expect(report.status == .refusedByBroker)
        #expect(report.notes == ["tokenbroker: unknown_token: no"])
        let known = broker.requests.map { request in
            request.split(separator: "\r\n").first { $0.hasPrefix("If-None-Match") }.map(String.init)
        }
        #expect(known == [nil] + ["7", "7", "8", "9"].map { "If-None-Match: \"\($0)\"" })
        #expect(broker.requests.allSatisfy { $0.contains("\r\nPrefer: wait=60\r\n") })
    }

    @Test("does not print a generation again, and does not ask without a pause")
    func sameGeneration() {
        let broker = ScriptedBroker([
            ScriptedBroker.token(7), ScriptedBroker.token(7), ScriptedBroker.answer(304), notFound,
        ])
        let world = World()
        _ = watch(broker).follow(world.ports)
        #expect(world.lines.count == 1)
        #expect(world.pauses == [.milliseconds(200), .milliseconds(200)])
    }

    @Test("goes on when the broker is gone for a while, more slowly each time, and says so once")
    func restart() {
        let broker = ScriptedBroker([ScriptedBroker.token(7), nil, nil, nil, ScriptedBroker.token(8), notFound])
        let world = World()
        _ = watch(broker).follow(world.ports)
        #expect(world.lines.count == 2)
        #expect(world.pauses == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(world.notes.count == 2)
        #expect(world.notes.last == "the broker answers again")
        #expect(broker.requests.last?.contains("If-None-Match: \"8\"") == true)
    }

    @Test("never gives up on a broker that was there, and asks every five seconds at last")
    func longOutage() {
        let broker = ScriptedBroker([ScriptedBroker.token(7)])
        let world = World()
        world.patience = 12
        #expect(watch(broker).follow(world.ports) == Report())
        #expect(world.pauses.count == 11)
        #expect(world.pauses.last == .seconds(5))
        // The connection that the end of the script cut off may be told apart from the ones that found nobody.
        #expect((1...2).contains(world.notes.count))
        #expect(world.notes.last?.contains("no broker listens") == true)
    }

    @Test("waits for a token that the provider does not give, as long as the broker says")
    func provider() {
        let problem = #"{"code":"provider_unavailable","detail":"it is down","retry_after":9}"#
        let broker = ScriptedBroker([
            ScriptedBroker.answer(503, problem), ScriptedBroker.answer(503, problem), ScriptedBroker.token(7), notFound,
        ])
        let world = World()
        _ = watch(broker).follow(world.ports)
        #expect(world.pauses == [.seconds(9), .seconds(9)])
        #expect(world.notes == ["provider_unavailable: it is down", "the broker answers again"])
        #expect(world.lines.count == 1)
    }

    @Test(
        "ends when asking again would change nothing",
        arguments: [
            (400, "invalid_request", .refusedByBroker), (403, "provider_refused_user", .refusedByBroker),
            (404, "unknown_token", .refusedByBroker), (403, "not_permitted", .notPermitted),
        ] as [(Int, String, CommandLineTool.ExitStatus)]
    )
    func refused(status: Int, code: String, end: CommandLineTool.ExitStatus) {
        let broker = ScriptedBroker([ScriptedBroker.token(7), ScriptedBroker.answer(status, #"{"code":"\#(code)"}"#)])
        let report = watch(broker).follow(World().ports)
        #expect(report.status == end)
        #expect(report.notes.first == "tokenbroker: \(code)")
    }

    @Test("says that there is no broker when there never was one")
    func neverThere() {
        let world = World()
        let report = Watch(socketPath: "/nonexistent/socket", target: "/v1/tokens/web").follow(world.ports)
        #expect(report.status == .unavailable)
        #expect(world.pauses.isEmpty)
    }

    @Test("ends quietly when nobody reads, and not quietly when the disk is full")
    func output() {
        let quiet = World()
        quiet.writeErrors = [EPIPE]
        #expect(watch(ScriptedBroker([ScriptedBroker.token(7)])).follow(quiet.ports) == Report())
        let full = World()
        full.writeErrors = [ENOSPC]
        #expect(watch(ScriptedBroker([ScriptedBroker.token(7)])).follow(full.ports).status == .outputFailed)
    }

    @Test("asks for the user that was typed, on the socket that was named")
    func target() {
        let outcome = Tool.outcome(["watch", "web", "--end-user", "a b", "--socket", "/s"], Surroundings())
        #expect(outcome == .watch(Watch(socketPath: "/s", target: "/v1/tokens/web?end_user=a%20b")))
    }
}
