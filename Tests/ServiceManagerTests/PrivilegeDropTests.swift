import Glibc
import TestSupport
import Testing

@testable import ServiceManager

@Suite("Privilege drop", .blocking)
struct PrivilegeDropTests {
    @Test("becomes the user for good and cannot be traced", .enabled(if: geteuid() == 0, "needs root"))
    func drop() async {
        await #expect(processExitsWith: .success) {
            let nobody = try UserAccount.named("nobody")
            try PrivilegeDrop.become(user: "nobody")
            let (uid, gid) = (String(nobody.uid), String(nobody.gid))
            // Real, effective, saved and file system id.
            #expect(fieldOfStatus("Uid") == [uid, uid, uid, uid].joined(separator: "\t"))
            #expect(fieldOfStatus("Gid") == [gid, gid, gid, gid].joined(separator: "\t"))
            #expect(fieldOfStatus("Groups")?.split(separator: " ").contains("0") == false)
            #expect(fieldOfStatus("CapEff").map { UInt64($0, radix: 16) } == 0)
            #expect(!ProcessHardening.isTraceable)
        }
    }

    @Test("refuses without root", .enabled(if: geteuid() == 0, "needs root"))
    func refused() async {
        await #expect(processExitsWith: .success) {
            try PrivilegeDrop.become(user: "nobody")
            #expect(throws: PrivilegeDropError.refused(SystemCallError("initgroups", errorNumber: EPERM))) {
                try PrivilegeDrop.become(user: "nobody")
            }
        }
    }

    @Test("refuses a user that is root under any name")
    func root() {
        #expect(throws: PrivilegeDropError.accountIsRoot("root")) { try PrivilegeDrop.become(user: "root") }
    }

    @Test("refuses a user the host does not know", arguments: ["no-such-user-here", "", "1234567"])
    func unknown(_ name: String) {
        #expect(throws: PrivilegeDropError.unknownUser(name)) { try PrivilegeDrop.become(user: name) }
    }
}
