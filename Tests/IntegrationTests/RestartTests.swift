import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("A restart with a store", .blocking)
struct RestartTests {
    private func site(_ prepare: (inout Settings, SimulatorProcess) throws -> Void = { _, _ in }) throws -> Site {
        try Site { settings, simulator in
            settings.addStore()
            try prepare(&settings, simulator)
        }
    }

    private func restart(_ site: Site, _ signal: Int32) throws -> BrokerProcess {
        try restart(site.broker, site, signal)
    }

    private func restart(_ broker: BrokerProcess, _ site: Site, _ signal: Int32) throws -> BrokerProcess {
        broker.process.send(signal)
        _ = try broker.process.waitForEnd()
        return try BrokerProcess(site.scratch, site.settings.text)
    }

    @Test("serves what was served before, without a mint", arguments: [SIGTERM, SIGKILL])
    func keeps(_ signal: Int32) throws {
        let site = try site()
        let first = try site.broker.fetch("web")
        let broker = try restart(site, signal)
        let second = try broker.fetch("web")
        for field in ["access_token", "token_type"] { #expect(second.text(field) == first.text(field)) }
        for field in ["expires_at_ms", "generation"] { #expect(second.integer(field) == first.integer(field)) }
        #expect(try site.simulator.mints() == 1)
        #expect(try broker.status()["store"]?["state"]?.string == "serving")
    }

    @Test("never uses a generation twice, whatever was killed when")
    func generations() throws {
        let site = try site()
        var seen: [Int64] = []
        var broker = site.broker
        for _ in 0..<5 {
            for _ in 0..<3 {
                seen.append(try #require(try broker.fetch("web").integer("generation")))
                #expect(try broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
            }
            broker.process.send(SIGKILL)
            _ = try broker.process.waitForEnd()
            broker = try BrokerProcess(site.scratch, site.settings.text)
        }
        #expect(seen == seen.sorted())
        #expect(Set(seen).count >= 11, "three new ones in each life: \(seen)")
    }

    @Test("waits out a pause that the provider asked for before it", arguments: [SIGTERM, SIGKILL])
    func hold(_ signal: Int32) throws {
        let site = try site { _, simulator in
            try simulator.behave(["status": 429, "retry_after": "600"])
        }
        #expect(try site.broker.fetch("web").code == "provider_rate_limited")
        let asked = try site.simulator.requests()
        let broker = try restart(site, signal)
        try site.simulator.behaveNormally()
        let answer = try broker.fetch("web")
        #expect(answer.code == "provider_rate_limited")
        #expect(try #require(answer.json["retry_after"]?.number?.int64) > 500)
        #expect(try site.simulator.requests() - asked == 0)
    }

    @Test("a store that is not one is put aside, never deleted, and the broker serves on")
    func broken() throws {
        let site = try site()
        _ = try site.broker.fetch("web")
        site.broker.process.send(SIGTERM)
        _ = try site.broker.process.waitForEnd()
        try site.scratch.write("store.sqlite", String(repeating: "junk", count: 4096))
        let broker = try BrokerProcess(site.scratch, site.settings.text)
        #expect(try broker.fetch("web").status == 200)
        let aside = try #require(try broker.status()["store"]?["set_aside"]?.string)
        #expect(access(aside, F_OK) == 0)
    }

    @Test("another key leaves the store as it is, and the broker serves from memory and says so")
    func wrongKey() throws {
        let site = try site()
        _ = try site.broker.fetch("web")
        site.broker.process.send(SIGTERM)
        _ = try site.broker.process.waitForEnd()
        try site.scratch.write("key", String(repeating: "ab", count: 32))
        let broker = try BrokerProcess(site.scratch, site.settings.text)
        #expect(try broker.fetch("web").status == 200)
        #expect(try broker.status()["store"]?["state"]?.string == "wrong_key")
        #expect(try site.simulator.mints() == 2)
    }

    @Test("a store that can be read only later gives its tokens then, and keeps those minted meanwhile")
    func late() throws {
        let site = try Site(Site.onDemand) { settings, _ in
            settings.addStore()
            settings.addToken("meanwhile", options: Site.onDemand)
        }
        let first = try site.broker.fetch("web")
        site.broker.process.send(SIGTERM)
        _ = try site.broker.process.waitForEnd()
        let key = try Files.text(site.scratch.path("key"))
        try site.scratch.write("key", String(repeating: "ab", count: 32))
        var broker = try BrokerProcess(site.scratch, site.settings.text)
        let meanwhile = try broker.fetch("meanwhile")
        #expect(try broker.status()["store"]?["state"]?.string == "wrong_key")
        try site.scratch.write("key", key)
        try Deadline.until("the token is back") { try broker.status(of: "web")["generation"]?.number != nil }
        for _ in 0..<2 {
            let second = try broker.fetch("web")
            #expect(second.text("access_token") == first.text("access_token"))
            // Numbers were handed out before the token was back, and they only grow.
            #expect(try #require(second.integer("generation")) > #require(first.integer("generation")))
            #expect(try broker.fetch("meanwhile").text("access_token") == meanwhile.text("access_token"))
            broker = try restart(broker, site, SIGTERM)
        }
        #expect(try site.simulator.mints() == 2)
    }

    @Test("no generation goes back after a run without the store, of which the store knows nothing")
    func overtaken() throws {
        let site = try site()
        let key = try Files.text(site.scratch.path("key"))
        var seen = [try #require(try site.broker.fetch("web").integer("generation"))]
        try site.scratch.write("key", String(repeating: "ab", count: 32))
        var broker = try restart(site, SIGKILL)
        seen.append(try #require(try broker.fetch("web").integer("generation")))
        try site.scratch.write("key", key)
        for signal in [SIGKILL, SIGTERM] {
            broker = try restart(broker, site, signal)
            seen.append(try #require(try broker.fetch("web").integer("generation")))
        }
        #expect(seen[0] < seen[1] && seen[1] < seen[2], "\(seen)")
        // The store has caught up, and what it gives back is the newest.
        #expect(seen[2] == seen[3], "\(seen)")
        #expect(try site.simulator.mints() == 2)
    }

    @Test("has no token and no key in the store's files")
    func encrypted() throws {
        let site = try site()
        let token = try #require(try site.broker.fetch("web").text("access_token"))
        for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            let text = try Files.text(site.scratch.path(file))
            #expect(!text.contains(token))
            #expect(!text.contains(SimulatorProcess.secretKey))
        }
    }
}
