import Glibc
import Synchronization
import TestSupport
import Testing
import TokenBroker
import Upstream

// In processes of their own: the environment belongs to the whole process.
@Suite("Proxies", .blocking)
struct ProxyTests {
    @Test("go between where the environment says so, and are told neither path nor key")
    func usesProxy() async {
        await #expect(processExitsWith: .success) {
            let seen = Mutex("")
            let proxy = try ScriptedServer { connection in
                let request = connection.readRequest() ?? ""
                seen.withLock { $0 = request }
                connection.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            }
            defer { proxy.stop() }
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://proxy-user:proxy-word@127.0.0.1:\(proxy.port)", 1)
                defer { unsetenv(name) }
                let failure = try #require(await ProxyTests.failure())
                #expect(!failure.requestMayHaveBeenSent)
                #expect(!failure.message.contains("proxy-"))
                let connect = seen.withLock { seen in
                    defer { seen = "" }
                    return seen
                }
                #expect(connect.hasPrefix("CONNECT api.example.invalid:443 HTTP/1.1\r\n"), "\(name)")
                #expect(!connect.contains("canary"))
            }
        }
    }

    @Test("are passed by where the environment says so")
    func exceptions() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedServer { _ in }
            defer { proxy.stop() }
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            for (name, value) in [("no_proxy", "api.example.invalid"), ("NO_PROXY", "x.example,.invalid")] {
                setenv(name, value, 1)
                defer { unsetenv(name) }
                let failure = try #require(await ProxyTests.failure())
                #expect([.couldNotResolve, .timedOut].contains(failure.code), "\(name)")
                #expect(proxy.accepted == 0)
            }
        }
    }

    /// What a request to a host ends with that is not there.
    private static func failure() async throws -> UpstreamFailure? {
        try await withClient { client in
            let settings = UpstreamSettings(baseURL: "https://api.example.invalid", timeout: .seconds(10))
            let request = UpstreamRequest(
                .get,
                path: "/canary",
                headers: [.init("Authorization", .bearer(Secret("canary".utf8)))],
                isReplayable: true
            )
            return await client.pool(for: settings).failure(of: request)
        }
    }

    @Test("are never asked for a loopback address")
    func bypassesLoopback() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
            try await withPool(script: PoolTests.answering) { pool, _ in
                let response = try await pool.send(.simple)
                #expect(response.status == 200)
            }
        }
    }
}
