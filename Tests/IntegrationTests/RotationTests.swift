import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Rotating a long-lived key", .blocking)
struct RotationTests {
    private static let secret = RotationSite.secret

    @Test("costs nobody a token, and the old key is kept while its tokens live")
    func rotate() throws {
        let site = try RotationSite(lifetime: 8)
        var generations: Set<Int64> = [try #require(try site.broker.fetch("web").integer("generation"))]
        let rotation = try site.start("rotate \(Self.secret)", input: RotationSite.nextKey + "\n")
        var states: [[String]] = []
        let caller = try site.broker.connect()
        try Deadline.until("the old key to be retired") {
            let answer = try caller.exchange(.get, "/v1/tokens/web")
            try #require(answer.status == 200)
            generations.insert(try #require(answer.integer("generation")))
            let now = try site.states()
            if now != states.last { states.append(now) }
            return now == ["retired", "active"]
        }
        #expect(try rotation.waitForEnd() == 0)
        #expect(states.contains(["retiring", "active"]))
        #expect(generations.count > 1)
        #expect(rotation.output.text.contains("version 2"))
        #expect(rotation.output.text.contains("tokenbroker secret rollback \(Self.secret)"))
        #expect(rotation.output.text.contains("over a quarter of their lifetimes: web"))
        #expect(rotation.errors.text.split(separator: "\n").count == 3)
        try site.broker.log.line(with: "notice Secret promoted", "secret=\(Self.secret)", "secret.version=2")
        // The old key is not needed any more.
        try site.simulator.revokeKey()
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        for text in [site.broker.log.text, rotation.output.text, rotation.errors.text] {
            #expect(!text.contains("sk_v1"))
        }
    }

    @Test("to one that the provider refuses ends with 1 and changes nothing")
    func refused() throws {
        let site = try RotationSite()
        let before = try site.broker.fetch("web")
        let ended = try site.run("rotate \(Self.secret)", input: "sk_v1_unheard_of")
        #expect(ended.status == 1)
        #expect(ended.output == "")
        #expect(ended.errors.contains("tokenbroker: provider_rejected_secret: "))
        #expect(ended.errors.contains("the provider answered: status 401"))
        #expect(ended.errors.contains("Nothing changed: version 1 stays in force."))
        #expect(try site.states() == ["active", "staged"])
        #expect(try site.broker.fetch("web").integer("generation") == before.integer("generation"))
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        #expect(try site.status()["problem"]?.string?.contains("version 2 is not taken") == true)
        let promote = try site.run("promote \(Self.secret)")
        #expect(promote.status == 1)
        #expect(promote.errors.hasPrefix("tokenbroker: conflict: version 2 is not taken"))
        #expect(!(site.broker.log.text + ended.errors).contains("sk_v1_unheard_of"))
    }

    @Test("can be taken back, and the new key is not used any more")
    func rollback() throws {
        let site = try RotationSite()
        try site.succeed("rotate \(Self.secret)", input: RotationSite.nextKey)
        let output = try site.succeed("rollback \(Self.secret)")
        #expect(output.contains("version 1"))
        #expect(output.contains("Version 2 is not used any more."))
        #expect(try site.states() == ["active", "staged"])
        try site.simulator.revokeKey(RotationSite.nextKey)
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        #expect(try site.run("rollback \(Self.secret)").errors.hasPrefix("tokenbroker: conflict: "))
    }

    @Test("can be ended at once: then there is no way back")
    func retire() throws {
        let site = try RotationSite()
        try site.succeed("rotate \(Self.secret)", input: RotationSite.nextKey)
        #expect(try site.succeed("retire \(Self.secret)") == "\(Self.secret): retired and wiped: version 1\n")
        #expect(try site.states() == ["retired", "active"])
        #expect(try site.run("rollback \(Self.secret)").status == 1)
    }

    @Test("from one that leaked wipes it with the promotion, and replaces its tokens within seconds")
    func final() throws {
        let site = try RotationSite()
        let before = try site.broker.fetch("web")
        try site.succeed("stage \(Self.secret)", input: RotationSite.nextKey)
        try site.succeed("verify \(Self.secret)")
        let output = try site.succeed("promote \(Self.secret) --final")
        #expect(output.contains("Version 1 is wiped; there is no way back to it."))
        #expect(try site.states() == ["retired", "active"])
        try Deadline.until("another token", patience: .seconds(15)) {
            try site.broker.fetch("web").integer("generation") != before.integer("generation")
        }
    }

    @Test("from nothing puts the first value in force at once")
    func first() throws {
        let site = try RotationSite(key: nil)
        #expect(try site.broker.fetch("web").code == "secret_unavailable")
        #expect(try site.status()["problem"]?.string?.contains("secret rotate \(Self.secret)") == true)
        let output = try site.succeed("rotate \(Self.secret)", input: SimulatorProcess.secretKey)
        #expect(output.contains("in force at once"))
        try Deadline.until("a token") { try site.broker.fetch("web").status == 200 }
        #expect(try site.status()["problem"] == .null)
    }

    @Test("goes on where it was after the broker was killed, whatever step was the last")
    func killed() throws {
        let site = try RotationSite()
        try site.succeed("stage \(Self.secret)", input: RotationSite.nextKey)
        try site.restart()
        #expect(try site.states() == ["active", "staged"])
        try site.succeed("verify \(Self.secret)")
        try site.restart()
        #expect(try site.states() == ["active", "verified"])
        try site.succeed("promote \(Self.secret)")
        try site.restart()
        #expect(try site.states() == ["retiring", "active"])
        try site.simulator.revokeKey()
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
    }

    @Test("away from a leaked key replaces its tokens, also where the broker is killed at that moment")
    func killedBeforeTheDrain() throws {
        let site = try RotationSite(others: ["other", "third"])
        let names = ["web", "other", "third"]
        let generations = { try names.map { try site.broker.fetch($0).integer("generation") } }
        let before = try generations()
        try site.succeed("stage \(Self.secret)", input: RotationSite.nextKey)
        try site.succeed("verify \(Self.secret)")
        try site.succeed("promote \(Self.secret) --final")
        try site.restart()
        try Deadline.until("other tokens") { try zip(generations(), before).allSatisfy { $0 != $1 } }
    }

    @Test("of a file takes effect by itself after a reload, once the new key is proven")
    func file() throws {
        let site = try RotationSite(.file)
        let before = try site.broker.fetch("web")
        let ended = try site.run("rotate \(Self.secret)", input: RotationSite.nextKey)
        #expect(ended.status == 1)
        #expect(ended.errors.contains("tokenbroker: conflict: "))
        #expect(ended.errors.contains(site.scratch.path("secret")))
        try site.scratch.write("secret", RotationSite.nextKey + "\n")
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        try Deadline.until("the promotion") { try site.states() == ["retiring", "active"] }
        try Deadline.until("a token of the new key") {
            try site.broker.fetch("web").integer("generation") != before.integer("generation")
        }
    }

    @Test(
        "of a file that is replaced while the broker starts is noticed at once",
        .enabled(if: ReplacedAtStart.isPossible, "only root traces the broker, and with python3")
    )
    func duringStart() throws {
        let scratch = try Scratch()
        let simulator = try SimulatorProcess(scratch)
        try simulator.addKey(RotationSite.nextKey)
        var settings = Settings(scratch)
        settings.addSecret(Self.secret, file: "secret")
        settings.addProvider("autocomplete", simulator.baseURL, secret: Self.secret)
        settings.addToken("web")
        let file = try scratch.write("secret", SimulatorProcess.secretKey)
        let other = try scratch.write("next-secret", RotationSite.nextKey)
        let broker = try BrokerProcess(scratch, settings.text, by: ReplacedAtStart.launcher(file, by: other))
        // Without a change to be told of, files are looked at each 30 seconds.
        try broker.log.line(with: "Secret promoted", "version=2", patience: .seconds(20))
    }

    @Test("of a file to one that the provider refuses changes nothing, and status says why")
    func badFile() throws {
        let site = try RotationSite(.file)
        let before = try site.broker.fetch("web")
        try site.scratch.write("secret", "sk_v1_unheard_of")
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        let problem = try Deadline.poll("the problem") { try site.status()["problem"]?.string }
        #expect(problem.contains("version 2 is not taken, what was in force stays"))
        #expect(!problem.contains("unheard_of"))
        #expect(try site.states() == ["active", "staged"])
        #expect(try site.broker.fetch("web").integer("generation") == before.integer("generation"))
        let status = try RunningProcess("tokenbroker", ["status", "--socket", site.broker.adminSocket])
        #expect(try status.waitForEnd() == 0)
        #expect(status.output.text.contains(problem))
        try site.restart()
        try Deadline.until("a token after the restart") { try site.broker.fetch("web").status == 200 }
        #expect(try site.states().first == "active")
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
    }

    @Test("leaves no copy of a key that was minted with, once it has retired, in memory", .enabled(if: geteuid() == 0))
    func memoryOfRetired() throws {
        let site = try RotationSite()
        try site.succeed("rotate \(Self.secret)", input: RotationSite.nextKey)
        for _ in 0..<3 { #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200) }
        #expect(try ProcessMemory.count(RotationSite.nextKey, in: site.broker.process.pid) > 0)
        try site.succeed("rotate \(Self.secret)", input: SimulatorProcess.secretKey)
        try site.succeed("retire \(Self.secret)")
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        #expect(try ProcessMemory.count(RotationSite.nextKey, in: site.broker.process.pid) == 0)
    }

    @Test("leaves no copy of a value that was replaced in the broker's memory", .enabled(if: geteuid() == 0))
    func memory() throws {
        let site = try RotationSite()
        let marker = "sk_v1_\(UInt64.random(in: .min ... .max))_marker"
        try site.succeed("stage \(Self.secret)", input: marker)
        #expect(try ProcessMemory.count(marker, in: site.broker.process.pid) > 0)
        try site.succeed("stage \(Self.secret)", input: RotationSite.nextKey)
        #expect(try ProcessMemory.count(marker, in: site.broker.process.pid) == 0)
    }
}
