import Glibc
import Testing

@testable import ServiceManager

@Suite("What the process can see")
struct ProcessSightTests {
    @Test(
        "users are told apart by the namespace's map",
        arguments: [
            ("         0          0 4294967295\n", [0, 33, 65534, 4_294_967_294], []),
            // What PrivateUsers= makes: root and the own user.
            ("0 0 1\n998 998 1\n", [0, 998], [1, 33, 997, 999, 65534]),
            // A container without privileges, of as many users as one mostly has.
            ("0 1000 1\n1 100000 65536\n", [0, 1, 10000, 65536], [65537, 4_294_967_295]),
            ("", [], [0, 33]), ("x\n0 0\n0 0 0\n", [], [0]),
        ] as [(String, [UInt32], [UInt32])]
    )
    func users(_ map: String, _ seen: [UInt32], _ hidden: [UInt32]) {
        let ids = MappedIDs(text: map)
        for id in seen { #expect(ids.contains(id), "\(id)") }
        for id in hidden { #expect(!ids.contains(id), "\(id)") }
    }

    @Test("a kernel that has no map hides nobody")
    func noMap() {
        #expect(MappedIDs(text: nil).contains(0) && MappedIDs(text: nil).contains(.max))
    }

    @Test("processes and the boot are seen where their files can be read")
    func files() {
        let own = ["/proc/self/uid_map": "0 0 1", "/proc/self/gid_map": "5 5 1"]
        let blind = ProcessSight { own[$0] }
        #expect(!blind.seesProcesses && !blind.seesBoot)
        #expect(blind.users.contains(0) && !blind.users.contains(5))
        #expect(blind.groups.contains(5) && !blind.groups.contains(0))
        let seeing = ProcessSight { ["/proc/1/cgroup": "", "/proc/sys/kernel/random/boot_id": ""][$0] }
        #expect(seeing.seesProcesses && seeing.seesBoot)
    }

    @Test("is known of this process")
    func own() {
        let sight = ProcessSight.current()
        #expect(sight.users.contains(geteuid()) && sight.groups.contains(getegid()))
        #expect(sight.seesProcesses && sight.seesBoot)
    }
}
