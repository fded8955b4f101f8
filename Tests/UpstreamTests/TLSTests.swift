import Glibc
import TestSupport
import Testing
import TokenBroker
import Upstream

@Suite("TLS", .blocking, .enabled(if: OpenSSLProgram.isAvailable, "needs the openssl program"))
struct TLSTests {
    @Test("refuses a certificate that nobody vouches for, says why, and sends nothing")
    func untrusted() async throws {
        let server = try TLSServer(host: "localhost")
        defer { server.stop() }
        let failure = try #require(await failure(server, host: "localhost", trust: TrustSettings()))
        #expect(failure.code == .tlsUntrusted)
        #expect(failure.message.hasSuffix("the certificate is not trusted: self-signed certificate"))
        #expect(!failure.requestMayHaveBeenSent)
    }

    @Test("trusts the additional certificates")
    func additionalTrust() async throws {
        let server = try TLSServer(host: "localhost")
        defer { server.stop() }
        let trust = TrustSettings(additionalCAFile: server.certificate.file)
        #expect(await failure(server, host: "localhost", trust: trust) == nil)
    }

    @Test("refuses a trusted certificate of another host")
    func otherHost() async throws {
        let server = try TLSServer(host: "api.example.com")
        defer { server.stop() }
        let trust = TrustSettings(additionalCAFile: server.certificate.file)
        let failure = try #require(await failure(server, host: "localhost", trust: trust))
        #expect(failure.code == .tlsUntrusted)
        #expect(!failure.requestMayHaveBeenSent)
    }

    @Test("does not go on without the additional certificates when their file is missing")
    func missingFile() async throws {
        let server = try TLSServer(host: "localhost")
        defer { server.stop() }
        let trust = TrustSettings(additionalCAFile: "/nonexistent/ca.pem")
        let failure = try #require(await failure(server, host: "localhost", trust: trust))
        #expect(failure.code == .trustFileUnreadable)
        #expect(!failure.requestMayHaveBeenSent)
    }

    @Test("tells that a server speaks no TLS")
    func noTLS() async throws {
        let server = try ScriptedServer { $0.send("HTTP/1.1 200 OK\r\n\r\n") }
        defer { server.stop() }
        try await withClient { client in
            let settings = UpstreamSettings(baseURL: "https://127.0.0.1:\(server.port)", timeout: ample)
            let failure = try #require(await client.pool(for: settings).failure(of: .simple))
            #expect(failure.code == .couldNotConnect)
            #expect(!failure.requestMayHaveBeenSent)
        }
    }

    @Test("limits a connection that never becomes ready by its own time-out")
    func handshakeHangs() async throws {
        let server = try ScriptedServer { $0.hang() }
        defer { server.stop() }
        try await withClient { client in
            let settings = UpstreamSettings(
                baseURL: "https://127.0.0.1:\(server.port)",
                timeout: ample,
                connectTimeout: .milliseconds(200)
            )
            let failure = try #require(await client.pool(for: settings).failure(of: .simple))
            #expect(failure.code == .timedOut)
            #expect(!failure.requestMayHaveBeenSent)
        }
    }

    private func failure(_ server: TLSServer, host: String, trust: TrustSettings) async -> UpstreamFailure? {
        let client = UpstreamClient(clock: LiveClock(), userAgent: "t")
        defer { client.close() }
        let settings = UpstreamSettings(baseURL: "https://\(host):\(server.port)", timeout: ample, trust: trust)
        return await client.pool(for: settings).failure(of: .simple)
    }
}
