import HTTPWire
import Testing
import TokenBroker

@testable import Serving

@Suite("Admin access")
struct AdminAccessTests {
    private let access = AdminAccess(
        operators: [AdminPrincipal(user: 10), AdminPrincipal(group: 20), AdminPrincipal(user: 30, group: 31)],
        observers: [AdminPrincipal(user: 40), AdminPrincipal(group: 50)]
    )

    @Test("is root's and the operators', in part the observers', and nobody else's")
    func rights() {
        #expect(access.right(of: peer(0)) == .operate)
        #expect(access.right(of: peer(10)) == .operate)
        #expect(access.right(of: peer(11, 20)) == .operate)
        #expect(access.right(of: peer(11, 11, [19, 20])) == .operate)
        #expect(access.right(of: peer(30, 31)) == .operate)
        #expect(access.right(of: peer(30)) == nil)
        #expect(access.right(of: peer(40)) == .observe)
        #expect(access.right(of: peer(11, 50)) == .observe)
        #expect(access.right(of: peer(11)) == nil)
        // Never more than observing, even where the peer is an operator too.
        #expect(access.right(of: peer(40, 20)) == .observe)
        #expect(access.right(of: peer(10, 10, [50])) == .observe)
    }

    @Test("is only root's where nobody is named")
    func nobodyNamed() {
        let access = AdminAccess(operators: [], observers: [])
        #expect(access.right(of: peer(0)) == .operate)
        #expect(access.right(of: peer(1)) == nil)
    }

    @Test(
        "takes requests for localhost that no other site's page can have sent",
        arguments: [
            ["Host: localhost"], ["Host: LOCALHOST"], ["Host: localhost:8080"],
            ["Host: localhost", "Origin: http://localhost"], ["Host: localhost:80", "Origin: http://localhost:80"],
            ["Host: Localhost", "Origin: HTTP://LOCALHOST"],
        ]
    )
    func own(_ fields: [String]) throws {
        #expect(!AdminAccess.isForeign(try parsed(message("GET /", fields)).headers))
    }

    @Test(
        "refuses another host or origin",
        arguments: [
            ["Host: example.com"], ["Host: localhost.example.com"], ["Host: 127.0.0.1"], ["Host: "],
            ["Host: notlocalhost"], ["Host: localhost", "Origin: http://example.com"],
            ["Host: localhost", "Origin: null"], ["Host: localhost", "Origin: "],
            ["Host: localhost", "Origin: https://localhost"], ["Host: localhost", "Origin: http://localhost:80"],
            ["Host: localhost", "Origin: http://localhost", "Origin: http://example.com"],
        ]
    )
    func foreign(_ fields: [String]) throws {
        #expect(AdminAccess.isForeign(try parsed(message("GET /", fields)).headers))
    }

    @Test("takes HTTP/1.0 without a Host")
    func withoutHost() throws {
        #expect(!AdminAccess.isForeign(try parsed("GET / HTTP/1.0\r\n\r\n").headers))
    }

    private func peer(_ uid: UInt32, _ gid: UInt32 = 9, _ groups: [UInt32] = []) -> Peer {
        Peer(pid: 1, uid: uid, gid: gid, supplementaryGroups: groups)
    }
}
