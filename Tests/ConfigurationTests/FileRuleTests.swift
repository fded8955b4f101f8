import Glibc
import Testing

@testable import Configuration

@Suite("Who may own, read and write the files")
struct FileRuleTests {
    private let rule = FileRule(daemon: DaemonIdentity(uid: 990, gid: 980))

    @Test(
        "lets root and the daemon own a configuration file that nobody else may write to",
        arguments: [(0, 0o644), (990, 0o600), (0, 0o444), (990, 0o755)] as [(UInt32, UInt32)]
    )
    func acceptsConfiguration(_ owner: UInt32, _ permissions: UInt32) {
        let file = FileAttributes(owner: owner, group: 5, permissions: permissions, isRegular: true)
        #expect(rule.violationsOfConfiguration(file, path: "/c").isEmpty)
    }

    @Test(
        "tells how to mend a configuration file",
        arguments: [
            (1000, 0o644, ["chown 990 /c"]), (0, 0o664, ["chmod go-w /c"]), (0, 0o646, ["chmod go-w /c"]),
            (1000, 0o666, ["chown 990 /c", "chmod go-w /c"]),
        ] as [(UInt32, UInt32, [String])]
    )
    func mendsConfiguration(_ owner: UInt32, _ permissions: UInt32, _ remedies: [String]) {
        let file = FileAttributes(owner: owner, group: 5, permissions: permissions, isRegular: true)
        #expect(rule.violationsOfConfiguration(file, path: "/c").map(\.remedy) == remedies)
    }

    @Test(
        "lets only the daemon's own group read a secret",
        arguments: [
            (0, 0, 0o600, []), (990, 5, 0o400, []), (0, 980, 0o640, []), (990, 980, 0o440, []),
            (1000, 5, 0o600, ["chown 990 /s"]), (990, 5, 0o604, ["chmod o= /s"]), (990, 5, 0o601, ["chmod o= /s"]),
            (990, 5, 0o640, ["chgrp 980 /s"]), (990, 980, 0o660, ["chmod g-w /s"]), (990, 5, 0o620, ["chmod g-w /s"]),
            (1000, 5, 0o666, ["chown 990 /s", "chmod o= /s", "chmod g-w /s", "chgrp 980 /s"]),
        ] as [(UInt32, UInt32, UInt32, [String])]
    )
    func judgesSecret(_ owner: UInt32, _ group: UInt32, _ permissions: UInt32, _ remedies: [String]) {
        let file = FileAttributes(owner: owner, group: group, permissions: permissions, isRegular: true)
        #expect(rule.violationsOfSecret(file, path: "/s").map(\.remedy) == remedies)
    }

    @Test(
        "prints a path as one word of the shell",
        arguments: [("/etc/a-b_c.d", "/etc/a-b_c.d"), ("/a b", "'/a b'"), ("/it's;$(x)", #"'/it'\''s;$(x)'"#)]
    )
    func quotesForShell(_ path: String, _ word: String) {
        #expect(ShellWord(path).description == word)
    }

    @Test("refuses to load a main file and a drop-in that others may write to, naming both")
    func refusesWritableFiles() throws {
        let folder = TemporaryFolder()
        let main = folder.write("main.yaml", "log: {}", permissions: 0o620)
        folder.makeFolder("conf.d")
        let dropIn = folder.write("conf.d/a.yaml", "secrets: {}", permissions: 0o602)
        let error = #expect(throws: ConfigurationProblems.self) { try loader.load(path: main) }
        #expect(
            error?.problems.map(\.description) == [
                "\(main): others than its owner may write to it: chmod go-w \(main)",
                "\(dropIn): others than its owner may write to it: chmod go-w \(dropIn)",
            ]
        )
    }

    @Test("refuses a file of another user", .enabled(if: geteuid() == 0))
    func refusesForeignFile() throws {
        let folder = TemporaryFolder()
        let main = folder.write("main.yaml", "log: {}")
        #expect(chown(main, 12345, 0) == 0)
        let error = #expect(throws: ConfigurationProblems.self) { try loader.load(path: main) }
        let expected = "\(main): uid 12345 owns it, which is neither root nor the daemon: chown 0 \(main)"
        #expect(error?.description == expected)
        let daemon = DaemonIdentity(uid: 12345, gid: 12345)
        #expect(throws: Never.self) {
            try ConfigurationLoader(kinds: kinds, daemon: daemon, accounts: FakeAccounts()).load(path: main)
        }
    }

    @Test("judges the file behind a symbolic link, and takes nothing but a regular file")
    func followsLinks() throws {
        let folder = TemporaryFolder()
        let target = folder.write("target", "log: { level: debug }")
        let link = folder.path(of: "main.yaml")
        #expect(symlink(target, link) == 0)
        #expect(try loader.load(path: link).logLevel == .debug)
        #expect(chmod(target, 0o666) == 0)
        #expect(throws: ConfigurationProblems.self) { try loader.load(path: link) }

        let fifo = folder.path(of: "fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let error = #expect(throws: ConfigurationProblems.self) { try loader.load(path: fifo) }
        #expect(error?.description == "\(fifo): is not a regular file")
    }
}
