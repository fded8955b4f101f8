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
            setenv("https_proxy", "http://proxy-user:proxy-word@127.0.0.1:\(proxy.port)", 1)
            try await withClient { client in
                let pool = client.pool(for: UpstreamSettings(baseURL: "https://api.example.invalid", timeout: ample))
                let request = UpstreamRequest(
                    .get,
                    path: "/canary",
                    headers: [.init("Authorization", .bearer(Secret("canary".utf8)))],
                    isReplayable: true
                )
                let failure = try #require(await pool.failure(of: request))
                #expect(!failure.requestMayHaveBeenSent)
                #expect(!failure.message.contains("proxy-"))
                let connect = seen.withLock { $0 }
                #expect(connect.hasPrefix("CONNECT api.example.invalid:443 HTTP/1.1\r\n"))
                #expect(!connect.contains("canary"))
            }
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
