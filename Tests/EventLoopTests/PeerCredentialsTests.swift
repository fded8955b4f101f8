import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite("Peer credentials", .blocking)
struct PeerCredentialsTests {
    @Test("are those of the process that connected")
    func ownCredentials() throws {
        let pair = try SocketPair()
        let peer = try PeerCredentials(of: pair.near)
        #expect(peer.pid == getpid())
        #expect(peer.uid == geteuid())
        #expect(peer.gid == getegid())
        #expect(Set(peer.groups) == ownGroups())
    }

    @Test("hold all groups of a peer with very many", .enabled(if: geteuid() == 0, "only root sets groups"))
    func manyGroups() async {
        await #expect(processExitsWith: .success) {
            let groups = (1...300).map { gid_t(70_000 + $0) }
            guard setgroups(groups.count, groups) == 0 else { exit(2) }
            let pair = try SocketPair()
            let peer = try PeerCredentials(of: pair.near)
            exit(peer.groups.sorted() == groups ? EXIT_SUCCESS : 3)
        }
    }

    @Test("are none for what is not a connected Unix socket")
    func notASocket() {
        let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
        #expect(throws: SystemError(call: "getsockopt", number: ENOTSOCK)) { _ = try PeerCredentials(of: file) }
    }

    private func ownGroups() -> Set<UInt32> {
        var groups = [gid_t](repeating: 0, count: 65_536)
        return Set(groups.prefix(max(0, Int(getgroups(Int32(groups.count), &groups)))))
    }
}
