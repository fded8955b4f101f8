import Glibc
import TestSupport
import Testing
import TokenBroker

@testable import Configuration

@Suite("Grants that look at the process", .blocking)
struct GrantTests {
    private let folder = TemporaryFolder()

    @Test("a unit stands alone or beside other conditions")
    func unit() throws {
        let grants = try grants("{ unit: api.service }, { user: api, unit: 'worker@a\\x2db.service', only: [routes] }")
        #expect(
            grants == [
                Grant(unit: "api.service"), Grant(user: 1001, unit: #"worker@a\x2db.service"#, surfaces: [.routes]),
            ]
        )
    }

    @Test(
        "units that can hold processes are taken",
        arguments: [
            "api.service", "a.b-c_d:e.service", "worker@1.service", #"worker@a\x2db.service"#, "machine-web.scope",
            "init.scope", String(repeating: "u", count: 247) + ".service",
        ]
    )
    func units(_ name: String) {
        #expect(throws: Never.self) { try UnitName.check(name) }
    }

    @Test(
        "other names are refused, by what is wrong with them",
        arguments: [
            ("api", .noKind), ("", .noKind), ("api.slice", .otherKind), ("api.socket", .otherKind),
            (".service", .otherKind), ("@1.service", .otherKind), ("api.service.", .otherKind),
            ("worker@.service", .template), ("user@1000.service", .userManager),
            ("system.slice/api.service", .badCharacter), ("api service", .badCharacter), ("äpi.service", .badCharacter),
            (String(repeating: "u", count: 248) + ".service", .tooLong),
        ] as [(String, UnitName.Fault)]
    )
    func badUnits(_ name: String, _ fault: UnitName.Fault) {
        #expect(throws: fault) { try UnitName.check(name) }
    }

    @Test("an executable is the file that its path leads to, through symbolic links")
    func executable() throws {
        let program = folder.write("worker", "", permissions: 0o755)
        let link = folder.path(of: "link")
        #expect(symlink(program, link) == 0)
        var status = stat()
        #expect(stat(program, &status) == 0)
        let file = ExecutableFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        for path in [program, link] {
            #expect(try grants("{ user: api, executable: \(path) }") == [Grant(user: 1001, executable: file)])
        }
        #expect(
            try grants("{ unit: api.service, executable: \(program) }")
                == [Grant(unit: "api.service", executable: file)]
        )
    }

    @Test("the inode of a configured executable is not used again while the configuration lives")
    func heldInode() throws {
        let program = folder.write("worker", "", permissions: 0o755)
        let grants = try grants("{ user: api, executable: \(program) }")
        let inode = try #require(grants.first?.executable?.inode)
        #expect(openFiles().contains(inode))
        #expect(unlink(program) == 0)
        #expect(withExtendedLifetime(grants) { openFiles().contains(inode) })
    }

    @Test(
        "an executable is refused that others could change or that is none",
        arguments: [
            (0o775, "others than its owner may write to it: chmod go-w PATH"),
            (0o757, "others than its owner may write to it: chmod go-w PATH"),
            (0o644, "is not a program"),
        ] as [(mode_t, String)]
    )
    func badExecutable(_ permissions: mode_t, _ fault: String) {
        let program = folder.write("worker", "", permissions: permissions)
        let found = faults("{ user: api, executable: \(program) }")
        #expect(found == ["3:67: tokens.a.allow[0].executable: " + fault.replacing("PATH", with: program)])
    }

    @Test("an executable is refused that is not there, or is a folder")
    func noExecutable() {
        let prefix = "3:67: tokens.a.allow[0].executable: "
        #expect(
            faults("{ user: api, executable: \(folder.path(of: "none")) }")
                == [prefix + "cannot be looked at: No such file or directory"]
        )
        #expect(faults("{ user: api, executable: \(folder.path) }") == [prefix + "is not a program"])
    }

    @Test("an executable of another user is refused", .enabled(if: geteuid() == 0))
    func foreignExecutable() {
        let program = folder.write("worker", "", permissions: 0o755)
        #expect(chown(program, 12345, 0) == 0)
        #expect(faults("{ user: api, executable: \(program) }").first?.contains("uid 12345 owns it") == true)
    }

    @Test("an executable is refused where the daemon cannot see whom it would fit, with the reason")
    func blindDaemon() {
        let program = folder.write("worker", "", permissions: 0o755)
        let prefix = "3:67: tokens.a.allow[0].executable: this daemon may not look at other users' executables"
        let entry = "{ user: api, executable: \(program) }"
        #expect(
            faults(entry, daemon: DaemonIdentity(uid: geteuid(), gid: getegid()))
                == [prefix + ", for want of CAP_SYS_PTRACE: use 'unit'"]
        )
        #expect(faults("{ unit: api.service }", daemon: DaemonIdentity(uid: geteuid(), gid: getegid())).isEmpty)
    }

    @Test("an executable is refused where root's daemon becomes a user", .enabled(if: geteuid() == 0))
    func blindLater() {
        let entry = "{ user: api, executable: \(folder.write("worker", "", permissions: 0o755)) }"
        #expect(
            faults(entry, rest: "run_as: api") == [
                "3:67: tokens.a.allow[0].executable: this daemon may not look at other users' executables "
                    + "once it is the user that 'run_as' names: use 'unit'"
            ]
        )
        #expect(faults(entry, rest: "run_as: root").isEmpty)
    }

    @Test("whoever gave up its rights sees no executables", .enabled(if: DaemonIdentity.current.seesExecutables))
    func rights() async {
        await #expect(processExitsWith: .success) {
            guard setuid(65_534) == 0 else { exit(2) }
            exit(DaemonIdentity.current.seesExecutables ? 3 : EXIT_SUCCESS)
        }
    }

    private static let sighted = DaemonIdentity(uid: geteuid(), gid: getegid(), seesExecutables: true)

    private func load(
        _ entries: String,
        _ daemon: DaemonIdentity,
        _ rest: String
    ) throws(ConfigurationProblems) -> Configuration {
        let path = folder.write(
            "main.yaml",
            """
            secrets: { k: { file: /k } }
            providers: { a: { kind: chatty, secret: k, base_url: 'https://h', bundle_id: b } }
            tokens: { a: { provider: a, allow:      [\(entries)] } }
            \(rest)
            """
        )
        return try ConfigurationLoader(kinds: kinds, daemon: daemon, accounts: FakeAccounts()).load(path: path)
    }

    private func grants(_ entries: String) throws -> [Grant] {
        try load(entries, Self.sighted, "").definition.tokens["a"]?.grants ?? []
    }

    private func faults(_ entry: String, daemon: DaemonIdentity = Self.sighted, rest: String = "") -> [String] {
        do throws(ConfigurationProblems) {
            _ = try load(entry, daemon, rest)
            return []
        } catch {
            return error.problems.map { "\($0.position?.description ?? "-"): \($0.message)" }
        }
    }

    /// The inodes of this process's open files.
    private func openFiles() -> [UInt64] {
        (0..<20_000 as Range<Int32>).compactMap { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
        }
    }
}
