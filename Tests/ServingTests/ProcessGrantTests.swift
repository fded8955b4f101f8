import EventLoop
import Glibc
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Grants that look at the process, over the socket", .blocking)
struct ProcessGrantTests {
    private static func definition(_ grant: Grant) -> BrokerDefinition {
        .account([TokenDefinition(name: "web", provider: "account", refresh: .onDemand, grants: [grant])])
    }

    private static func executable(_ path: String) throws -> ExecutableFile {
        let file = try FileIdentity(ofFileAt: path)
        return ExecutableFile(device: file.device, inode: file.inode)
    }

    @Test("the configured program is let in, again and again on one connection")
    func ownProgram() async throws {
        let own = try Self.executable("/proc/self/exe")
        let harness = try Harness(Self.definition(Grant(user: geteuid(), executable: own)))
        try await harness.mintWeb("at_v1_first")
        let client = try harness.connect()
        for _ in 1...2 {
            #expect(try await harness.exchange(client, "GET /v1/tokens/web").json?["access_token"] == "at_v1_first")
        }
        let names = try await harness.request("GET /v1/tokens").json?["tokens"]?.array?.map { $0["name"] }
        #expect(names == ["web"])
    }

    @Test("another program and another unit are kept out, and the log says which it was")
    func otherProgram() async throws {
        let other = try Self.executable("/bin/true")
        for (grant, reason) in [
            (Grant(user: geteuid(), executable: other), "not allowed: another executable"),
            (Grant(unit: "api.service"), "not allowed: another unit"),
        ] {
            let harness = try Harness(Self.definition(grant))
            #expect(try await harness.request("GET /v1/tokens/web").code == "unknown_token")
            #expect(harness.log.records.map { $0.metadata[.reason] } == [.string(reason)])
            #expect(try await harness.request("GET /v1/tokens").json?["tokens"]?.array?.isEmpty == true)
        }
    }

    @Test("a peer that becomes the configured program after it has connected is kept out")
    func becomesProgram() async throws {
        let cat = try Self.executable("/bin/cat")
        let harness = try Harness(Self.definition(Grant(user: geteuid(), executable: cat)))
        // It is cat by the time it sends its request, and was not when it connected.
        let child = try Relay(connectingTo: harness.directory.file("apps"))
        try await harness.until { harness.connectionCount == 1 }
        child.write("x" + message("GET /v1/tokens/web"))
        try await harness.until { !harness.log.records.isEmpty }
        let reason = "not allowed: the process is unknown or not what it was when it connected"
        #expect(harness.log.records.map { $0.metadata[.reason] } == [.string(reason)])
        #expect(harness.provider.started == 0)
    }

    @Test("connections from before the grants looked at processes end when they begin to")
    func reload() async throws {
        let harness = try Harness(Self.definition(Grant(user: geteuid())))
        try await harness.mintWeb()
        let client = try harness.connect()
        #expect(try await harness.exchange(client, "GET /healthz").status == 200)
        let new = Self.definition(Grant(user: geteuid(), executable: try Self.executable("/proc/self/exe")))
        harness.broker.reload(Broker.Supply(new, with: harness.provider))
        harness.servers.configurationChanged(operators: [], observers: [], facts: .example)
        try await harness.ends(client)
        #expect(try await harness.request("GET /v1/tokens/web").status == 200)
    }

    @Test("whoami says what would be seen, whether grants look at processes or not")
    func whoami() async throws {
        let own = try Self.executable("/proc/self/exe")
        for grant in [Grant(user: geteuid()), Grant(user: geteuid(), executable: own)] {
            let answer = try await Harness(Self.definition(grant)).request("GET /v1/whoami")
            #expect(answer.json?["executable"]?.string?.hasPrefix("/") == true)
        }
    }
}

/// A process that connects, waits for a byte on its input, and then becomes `cat`, from its input to the socket.
private final class Relay {
    private let pid: pid_t
    private let input: Int32

    init(connectingTo path: String) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        let program = """
            use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($ARGV[0])) or exit 1;
            open STDOUT, '>&S'; sysread STDIN, $b, 1; exec 'cat'
            """
        let arguments: [String] = ["perl", "-e", program, path]
        let words = arguments.map { strdup($0) } + [nil]
        var child = pid_t()
        let failure = posix_spawnp(&child, "perl", &actions, nil, words, environ)
        for word in words { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[0])
        pid = child
        input = ends[1]
        try #require(failure == 0)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    deinit {
        close(input)
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }
}
