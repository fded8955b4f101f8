import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite("Peer process", .blocking)
struct PeerProcessTests {
    @Test("is the process that connected, by pidfd and by start time", arguments: [false, true])
    func ownProcess(forcingStartTime: Bool) throws {
        let pair = try SocketPair()
        let credentials = try PeerCredentials(of: pair.near)
        let process = try PeerProcess(of: pair.near, credentials: credentials, forcingStartTime: forcingStartTime)
        #expect(process.executable == (try FileIdentity(ofFileAt: "/proc/self/exe")))
        #expect(process.executablePath?.hasPrefix("/") == true)
        #expect(process.lookAgain()?.sighting == process.sighting)
    }

    @Test("another user's process under the peer's number is not the peer", arguments: [false, true])
    func otherUser(forcingStartTime: Bool) throws {
        let pair = try SocketPair()
        let own = try PeerCredentials(of: pair.near)
        let other = PeerCredentials(pid: own.pid, uid: own.uid + 1, gid: own.gid, groups: [])
        #expect(throws: PeerProcess.Failure.gone) {
            _ = try PeerProcess(of: pair.near, credentials: other, forcingStartTime: forcingStartTime)
        }
    }

    @Test("a peer that has ended is gone, also while its parent has not noticed", arguments: [false, true])
    func ended(forcingStartTime: Bool) throws {
        let child = try ConnectingChild(after: "exit 0")
        child.waitUntilEnded()
        #expect(child.credentials.pid == child.pid)
        let failure = PeerProcess.Failure.gone
        #expect(throws: failure, "a zombie") { _ = try child.look(forcingStartTime: forcingStartTime) }
        waitpid(child.pid, nil, 0)
        #expect(throws: failure, "no such process") { _ = try child.look(forcingStartTime: forcingStartTime) }
    }

    @Test("a peer that ends while it is looked at is gone", arguments: [false, true])
    func endedMeanwhile(forcingStartTime: Bool) throws {
        let child = try ConnectingChild()
        #expect(throws: PeerProcess.Failure.gone) {
            _ = try child.look(forcingStartTime: forcingStartTime) {
                child.go()
                child.waitUntilEnded()
            }
        }
    }

    @Test(
        "a peer that changes its user while it is looked at is gone",
        .enabled(if: geteuid() == 0),
        arguments: [false, true]
    )
    func userChangedMeanwhile(forcingStartTime: Bool) throws {
        let child = try ConnectingChild(after: "sysread S, $b, 1; $> = 65534; syswrite S, 'x'; sysread S, $b, 1")
        #expect(throws: PeerProcess.Failure.gone) {
            _ = try child.look(forcingStartTime: forcingStartTime) {
                child.go()
                child.waitForWord()
            }
        }
    }

    @Test("a peer of another PID namespace cannot be looked at")
    func unseen() throws {
        let pair = try SocketPair()
        let credentials = PeerCredentials(pid: 0, uid: 0, gid: 0, groups: [])
        #expect(throws: PeerProcess.Failure.unseen) { _ = try PeerProcess(of: pair.near, credentials: credentials) }
    }

    @Test(
        "a peer that changed its user without being executed again is known",
        .enabled(if: geteuid() == 0),
        arguments: [false, true]
    )
    func changedUser(forcingStartTime: Bool) throws {
        let child = try ConnectingChild(before: "$> = 65534")
        #expect(child.credentials.uid == 65_534)
        let process = try child.look(forcingStartTime: forcingStartTime)
        #expect(process.lookAgain() != nil)
        #expect(child.isAlive)
    }
}

@Suite("Peer process, seen again", .blocking)
struct PeerProcessAgainTests {
    @Test("a peer that runs another program since it connected is not what it was", arguments: [false, true])
    func execAfterConnect(forcingStartTime: Bool) throws {
        let child = try ConnectingChild(
            after: "sysread S, $b, 1; open STDIN, '<&S'; open STDOUT, '>&S'; exec 'cat'"
        )
        let process = try child.look(forcingStartTime: forcingStartTime)
        child.go()
        child.go()
        child.waitForWord()
        #expect(process.lookAgain() == nil)
        #expect(child.isAlive)
    }

    @Test(
        "a peer that has left its socket to another user's process and ended is not there",
        .enabled(if: geteuid() == 0),
        arguments: [false, true]
    )
    func socketPassedOn(forcingStartTime: Bool) throws {
        let heir = "if (!fork) { $< = $> = 65534; sysread S, $b, 1; syswrite S, 'x'; sysread S, $b, 1; exit 0 }"
        let child = try ConnectingChild(after: "\(heir); sleep 30")
        let process = try child.look(forcingStartTime: forcingStartTime)
        kill(child.pid, SIGKILL)
        child.waitUntilEnded()
        child.go()
        child.waitForWord()
        #expect(process.lookAgain() == nil, "a zombie")
        waitpid(child.pid, nil, 0)
        #expect(process.lookAgain() == nil, "nobody")
        #expect(throws: PeerProcess.Failure.gone) { _ = try child.look(forcingStartTime: forcingStartTime) }
    }

    @Test(
        "another process of the same user, program and number is not the peer",
        .enabled(if: access("/proc/sys/kernel/ns_last_pid", W_OK) == 0, "the kernel cannot choose a number")
    )
    func numberUsedAgain() throws {
        // Somebody else may get the number first: then with another one.
        for _ in 1...50 {
            let first = try ConnectingChild(after: "exit 0 if sysread S, $b, 1")
            let process = try first.look()
            first.go()
            first.waitUntilEnded()
            waitpid(first.pid, nil, 0)
            let file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC)
            let last = Array("\(first.pid - 1)".utf8)
            _ = write(file, last, last.count)
            close(file)
            let second = try ConnectingChild()
            guard second.pid == first.pid else { continue }
            #expect((try? second.look()) != nil)
            #expect(process.lookAgain() == nil)
            return
        }
        Issue.record("no number was used again")
    }
}

@Suite("Peer process, its program", .blocking)
struct PeerProcessProgramTests {
    private static let perl = "/usr/bin/perl"

    @Test("a copy of a program is another program", arguments: [false, true])
    func copy(forcingStartTime: Bool) throws {
        let directory = try TemporaryDirectory()
        let copy = directory.file("perl")
        try copyFile(Self.perl, to: copy)
        let child = try ConnectingChild(launcher: [copy])
        let process = try child.look(forcingStartTime: forcingStartTime)
        #expect(process.executable == (try FileIdentity(ofFileAt: copy)))
        #expect(process.executable != (try FileIdentity(ofFileAt: Self.perl)))
        #expect(process.executablePath == copy)
    }

    @Test("a program that is replaced stays what it was, and the file in its place is another")
    func replaced() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("perl")
        try copyFile(Self.perl, to: path)
        let before = try FileIdentity(ofFileAt: path)
        let child = try ConnectingChild(launcher: [path])
        let process = try child.look()
        try copyFile(Self.perl, to: directory.file("new"))
        #expect(rename(directory.file("new"), path) == 0)
        #expect(process.executable == before)
        #expect(process.lookAgain()?.executable == before)
        #expect(process.lookAgain()?.executablePath == "\(path) (deleted)")
        #expect(child.isAlive)
        #expect(try FileIdentity(ofFileAt: path) != before)
    }

    @Test(
        "a program mounted over another's path in a namespace of the peer's own is not that other",
        .enabled(if: canUnshare, "no user namespaces here"),
        arguments: [false, true]
    )
    func mountedOver(forcingStartTime: Bool) throws {
        let directory = try TemporaryDirectory()
        let trusted = directory.file("worker")
        try copyFile("/bin/true", to: trusted)
        let script = #"mount --bind "$0" "$1" && program="$1" && shift && exec "$program" "$@""#
        let child = try ConnectingChild(launcher: ["unshare", "-Urm", "sh", "-c", script, Self.perl, trusted])
        let process = try child.look(forcingStartTime: forcingStartTime)
        #expect(process.executable == (try FileIdentity(ofFileAt: Self.perl)))
        #expect(process.executable != (try FileIdentity(ofFileAt: trusted)))
    }

    private static var canUnshare: Bool {
        system("unshare -Urm true 2>/dev/null") == 0
    }

    private func copyFile(_ source: String, to target: String) throws {
        guard system("cp -L '\(source)' '\(target)' && chmod 755 '\(target)'") == 0 else {
            throw SystemError(call: "system", number: errno)
        }
    }
}
