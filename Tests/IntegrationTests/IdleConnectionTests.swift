import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite(
    "A connection to a provider",
    .blocking,
    .enabled(if: geteuid() == 0, "which sockets the broker has is root's alone to see")
)
struct IdleConnectionTests {
    @Test("is used again while it is fresh, and not when it was idle for so long that a router may have forgotten it")
    func idle() throws {
        let scratch = try Scratch()
        let simulator = try SimulatorProcess(scratch)
        let clock = try HostClock(scratch, isAwake: true)
        let settings = try Settings(scratch, simulator, options: Site.onDemand)
        let broker = try BrokerProcess(scratch, settings.text, clock: clock)
        func mint() throws -> Set<String> {
            #expect(try broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
            return try connections(of: broker)
        }
        let first = try mint()
        #expect(first.count == 1)
        #expect(try mint() == first)
        try clock.suspend(.seconds(55))
        #expect(try mint().isDisjoint(with: first))
    }

    /// The sockets by which a program is connected over TCP, by their numbers in the kernel.
    private func connections(of broker: BrokerProcess) throws -> Set<String> {
        // The fields: slot, local and remote address, state, of which 01 is a connection; the tenth is the inode.
        let rows = try Files.text("/proc/\(broker.process.pid)/net/tcp").split(separator: "\n").dropFirst()
        let connected = rows.map { $0.split(separator: " ") }.filter { $0[3] == "01" }.map { "socket:[\($0[9])]" }
        let open = (0..<256).compactMap { number -> String? in
            var target = [UInt8](repeating: 0, count: 64)
            let length = readlink("/proc/\(broker.process.pid)/fd/\(number)", &target, target.count)
            return length > 0 ? String(decoding: target.prefix(length), as: UTF8.self) : nil
        }
        return Set(connected).intersection(open)
    }
}
