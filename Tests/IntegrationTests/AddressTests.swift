import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite(
    "A provider's addresses",
    .blocking,
    .enabled(if: HostNames.obstacle == nil, "\(HostNames.obstacle ?? "")")
)
struct AddressTests {
    /// A broker whose provider has a name, and nobody at its addresses who could answer.
    private struct Place {
        let names: HostNames
        let port: UInt16
        let broker: BrokerProcess

        init(at addresses: [String]) throws {
            let scratch = try Scratch()
            names = try HostNames(scratch)
            port = try FreePort.number()
            try names.set("provider.example", addresses)
            var settings = Settings(scratch)
            try scratch.write("secret", SimulatorProcess.secretKey)
            settings.addSecret("key", file: "secret")
            settings.addProvider("autocomplete", "https://provider.example:\(port)", options: "timeout: 10s")
            settings.addToken("web", options: Site.onDemand)
            broker = try BrokerProcess(scratch, settings.text, by: names.launcher)
        }

        func mint() throws {
            #expect(try broker.admin(.post, "/v1/tokens/web/refresh").code == "provider_unavailable")
        }
    }

    @Test("are asked for again with each connection: a provider that moves is followed")
    func moves() throws {
        let place = try Place(at: ["127.77.0.1"])
        let (old, new) = (try DeafServer("127.77.0.1", place.port), try DeafServer("127.77.0.2", place.port))
        try place.mint()
        #expect((old.visitors(), new.visitors()) == (1, 0))
        try place.names.set("provider.example", ["127.77.0.2"])
        try place.mint()
        #expect((old.visitors(), new.visitors()) == (0, 1))
    }

    @Test("are tried side by side: one over IPv6 that swallows everything costs moments")
    func blackHole() throws {
        let place = try Place(at: ["::1", "127.77.0.1"])
        let hole = try DeafServer("::1", place.port, takesNobody: true)
        let good = try DeafServer("127.77.0.1", place.port)
        let start = ContinuousClock.now
        let broker = place.broker
        let caller = try Connection(unix: broker.adminSocket)
        try caller.send("POST /v1/tokens/web/refresh HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try Deadline.until("the other address is tried") { good.visitors() > 0 }
        #expect(ContinuousClock.now - start < .seconds(4))
        withExtendedLifetime(hole) {}
    }
}
