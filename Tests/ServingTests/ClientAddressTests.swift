import Testing
import TokenBroker

@testable import Serving

@Suite("Addresses of clients")
struct ClientAddressTests {
    @Test(
        "are read with or without a port, an IPv6 address as its network",
        arguments: [
            ("192.0.2.1", [192, 0, 2, 1]), (" 192.0.2.1 ", [192, 0, 2, 1]), ("192.0.2.1:8080", [192, 0, 2, 1]),
            ("2001:db8:1:2:3:4:5:6", [0x20, 1, 0xD, 0xB8, 0, 1, 0, 2]),
            ("[2001:db8::1]:443", [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0]), ("::ffff:192.0.2.1", [192, 0, 2, 1]),
        ] as [(String, [UInt8])]
    )
    func read(_ text: String, _ network: [UInt8]) {
        #expect(ClientAddress(parsing: text[...]) == .network(network))
    }

    @Test("are nothing else", arguments: ["", "unknown", "192.0.2", "192.0.2.1.5", "_hidden", "300.1.1.1", "[]:80"])
    func unreadable(_ text: String) {
        #expect(ClientAddress(parsing: text[...]) == nil)
    }

    private func client(
        _ fields: [String],
        uid: UInt32 = 33,
        source: ClientAddressSource? = .forwarded
    ) throws -> ClientAddress? {
        let request = try parsed(message("GET /", fields))
        return ClientAddress(request, from: Peer(pid: 1, uid: uid, gid: uid), by: source)
    }

    @Test("are the right-most one that a trusted proxy says")
    func rightMost() throws {
        let expected = ClientAddress.network([192, 0, 2, 1])
        #expect(try client(["X-Forwarded-For: 192.0.2.1"]) == expected)
        #expect(try client(["X-Forwarded-For: 203.0.113.9, 192.0.2.1"]) == expected)
        #expect(try client(["X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 1.2.3.4,192.0.2.1"]) == expected)
    }

    @Test("are not believed from anybody else, and one where a proxy says nothing")
    func untrusted() throws {
        #expect(try client(["X-Forwarded-For: 192.0.2.1"], uid: 1000) == .user(1000))
        #expect(try client([]) == .unreadable)
        #expect(try client(["X-Forwarded-For: 192.0.2.1, unknown"]) == .unreadable)
        #expect(try client(["X-Forwarded-For: 192.0.2.1"], source: nil) == nil)
    }
}

extension ClientAddressSource {
    fileprivate static let forwarded = ClientAddressSource(
        header: "X-Forwarded-For",
        trustedProxies: [AdminPrincipal(user: 33)]
    )
}
