import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite(
    "Peer process, its unit",
    .blocking,
    .serialized,
    .enabled(if: !controlGroups.isEmpty, "no control groups to write to")
)
struct PeerUnitTests {
    @Test("is the service that the kernel says it is in", arguments: [false, true])
    func service(forcingStartTime: Bool) throws {
        let child = try ConnectingChild()
        try during(["loop-test.slice", "api.service"], child.pid) {
            let process = try child.look(forcingStartTime: forcingStartTime)
            #expect(process.unit == "api.service")
            #expect(process.lookAgain()?.unit == "api.service")
        }
    }

    @Test("is none for a user's own service of the same name", arguments: [false, true])
    func userService(forcingStartTime: Bool) throws {
        let child = try ConnectingChild()
        let path = ["user.slice", "user-64999.slice", "user@64999.service", "app.slice", "api.service"]
        try during(path, child.pid) {
            let process = try child.look(forcingStartTime: forcingStartTime)
            #expect(process.unit == nil)
            #expect(process.executable != nil)
        }
    }

    @Test("a service's own group is that service, whatever the group is called", arguments: [false, true])
    func subgroup(forcingStartTime: Bool) throws {
        let child = try ConnectingChild()
        try during(["loop-test.slice", "other.service", "api.service"], child.pid) {
            let process = try child.look(forcingStartTime: forcingStartTime)
            #expect(process.unit == "other.service")
        }
    }

    @Test("a peer moved to another unit since it connected is not what it was")
    func moved() throws {
        let child = try ConnectingChild()
        let process = try child.look()
        try during(["loop-test.slice", "api.service"], child.pid) {
            #expect(process.lookAgain() == nil)
            let anew = try child.look()
            #expect(anew.unit == "api.service")
        }
    }
}

/// Where systemd would have its control groups, in one tree or alike in two.
private let controlGroups = ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"].filter {
    access("\($0)/cgroup.procs", W_OK) == 0
}

/// Runs `body` while the process `pid` is in a control group made for it.
private func during(_ names: [String], _ pid: pid_t, _ body: () throws -> Void) throws {
    var made: [String] = []
    defer {
        // A group with a process in it cannot be removed.
        for root in controlGroups { try? move(pid, to: root) }
        for path in made.reversed() { rmdir(path) }
    }
    for root in controlGroups {
        var path = root
        for name in names {
            path += "/\(name)"
            if mkdir(path, 0o755) == 0 {
                made.append(path)
            } else if errno != EEXIST {
                throw SystemError(call: "mkdir", number: errno)
            }
        }
        try move(pid, to: path)
    }
    try body()
}

private func move(_ pid: pid_t, to group: String) throws {
    let file = Descriptor(owning: open("\(group)/cgroup.procs", O_WRONLY | O_CLOEXEC))
    let text = Array("\(pid)".utf8)
    guard write(file.number, text, text.count) == text.count else { throw SystemError(call: "write", number: errno) }
}
