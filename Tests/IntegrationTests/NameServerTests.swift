import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite(
    "A name server that never answers",
    .blocking,
    .enabled(if: SilentNameServer.obstacle == nil, "\(SilentNameServer.obstacle ?? "")")
)
struct NameServerTests {
    /// A broker with one provider at an address, and one whose name only the silent server could tell.
    private struct Place {
        static let lostTokens = 30

        let names: SilentNameServer
        let simulator: SimulatorProcess
        let broker: BrokerProcess

        init(timeout: String = "10s", mintDeadline: String = "1s") throws {
            let scratch = try Scratch()
            names = try SilentNameServer(scratch)
            simulator = try SimulatorProcess(scratch)
            var settings = try Settings(scratch, simulator)
            settings.extra = ["limits: { mint_deadline: \(mintDeadline) }"]
            settings.addProvider("lost", "https://provider.example", options: "timeout: \(timeout)")
            for index in 0..<Self.lostTokens {
                settings.addToken("lost-\(index)", provider: "lost", options: Site.onDemand)
            }
            settings.addToken("later", options: Site.onDemand)
            broker = try BrokerProcess(scratch, settings.text, by: names.launcher)
        }

        /// Has every token of the lost provider minted anew, whatever it waits out, and waits for none.
        func pressForLost() throws -> [Connection] {
            try (0..<Self.lostTokens).map { index in
                let connection = try Connection(unix: broker.adminSocket)
                try connection.send("POST /v1/tokens/lost-\(index)/refresh HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return connection
            }
        }

        func expectOthersServedAtOnce() throws {
            let start = ContinuousClock.now
            #expect(try broker.fetch("web").status == 200)
            #expect(try broker.fetch("later").status == 200)
            #expect(try broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
            #expect(ContinuousClock.now - start < .milliseconds(900))
        }
    }

    @Test(
        "costs a caller no more than the mint's deadline or the provider's timeout",
        arguments: [("10s", "1s"), ("1s", "10s")]
    )
    func deadline(_ timeout: String, _ mintDeadline: String) throws {
        let place = try Place(timeout: timeout, mintDeadline: mintDeadline)
        let start = ContinuousClock.now
        let answer = try place.broker.fetch("lost-0", ("Prefer", "wait=60"))
        #expect(answer.code == "provider_unavailable")
        #expect((.milliseconds(900)..<(.seconds(4))).contains(ContinuousClock.now - start))
        #expect(place.names.wasAsked())
    }

    @Test("delays nobody else's token, takes no more than a provider's threads, and holds up no stop")
    func isolation() throws {
        let place = try Place()
        #expect(try place.broker.fetch("later").status == 200)
        let threads = try place.broker.threads
        for _ in 0..<6 {
            let pressing = try place.pressForLost()
            try place.expectOthersServedAtOnce()
            for connection in pressing { #expect(try connection.receive().code == "provider_unavailable") }
            // A lookup has a thread, and a provider's pool has sixteen places for them; two are of the pool that runs the
            // mints, which may not have had them all before.
            let more = try place.broker.threads - threads
            #expect(more <= 16 + 2)
        }
        #expect(try place.broker.threads - threads > 8, "there was no crowd")
        #expect(place.names.wasAsked())
        try place.expectOthersServedAtOnce()
        place.broker.process.send(SIGTERM)
        #expect(try place.broker.process.waitForEnd(patience: .seconds(4)) == 0)
    }
}
