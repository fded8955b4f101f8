import Digests
import TestSupport
import Testing
import TokenBroker
import Upstream

/// A server whose certificate an intermediate authority signed, and the root authority that is trusted.
private struct PinnedSite {
    let root: TestCertificate
    let intermediate: TestCertificate
    let leaf: TestCertificate

    init() throws {
        root = try TestCertificate(host: "Root authority")
        intermediate = try TestCertificate(host: "Intermediate authority", issuer: root)
        leaf = try TestCertificate(host: "localhost", issuer: intermediate)
    }

    /// From the server's certificate on.
    var chain: [TestCertificate] { [leaf, intermediate, root] }

    func start() throws -> TLSServer {
        try TLSServer(leaf, presenting: [intermediate])
    }

    func trust(_ pins: Set<[UInt8]>, of form: CertificatePins.Form = .certificate) -> TrustSettings {
        TrustSettings(additionalCAFile: root.file, pins: CertificatePins(pins, of: form))
    }
}

@Suite("Pinned certificates", .blocking, .enabled(if: OpenSSLProgram.isAvailable, "needs the openssl program"))
struct PinTests {
    private static let other = [UInt8](repeating: 7, count: 32)

    private let site: PinnedSite

    init() throws {
        site = try PinnedSite()
    }

    @Test("let a chain in by any certificate of it, the server's, an authority's or the trusted one")
    func anyOfTheChain() async throws {
        let server = try site.start()
        defer { server.stop() }
        for certificate in site.chain {
            #expect(await failure(server, site.trust([try certificate.digest()])) == nil)
            #expect(await failure(server, site.trust([try certificate.keyDigest()], of: .publicKey)) == nil)
        }
    }

    @Test("let a chain in when one of several pins matches")
    func severalPins() async throws {
        let server = try site.start()
        defer { server.stop() }
        #expect(await failure(server, site.trust([Self.other, try site.intermediate.digest()])) == nil)
    }

    @Test("refuse a trusted chain without one of them, name the host and the chain's own, and send nothing")
    func mismatch() async throws {
        let server = try site.start()
        defer { server.stop() }
        let digests: [(CertificatePins.Form, (TestCertificate) throws -> [UInt8])] = [
            (.certificate, { try $0.digest() }), (.publicKey, { try $0.keyDigest() }),
        ]
        for (form, digest) in digests {
            let failure = try #require(await failure(server, site.trust([Self.other], of: form)))
            #expect(failure.code == .tlsUntrusted)
            #expect(!failure.requestMayHaveBeenSent)
            let pins = try site.chain.map { Base64.text(try digest($0)) }.joined(separator: ", ")
            #expect(
                failure.message == "localhost:\(server.port): no certificate of the chain matches a pin; "
                    + "the chain's own are \(pins)"
            )
        }
    }

    @Test("are of what they say: a certificate's is not its key's")
    func form() async throws {
        let server = try site.start()
        defer { server.stop() }
        #expect(await failure(server, site.trust([try site.leaf.digest()], of: .publicKey))?.code == .tlsUntrusted)
        #expect(await failure(server, site.trust([try site.leaf.keyDigest()]))?.code == .tlsUntrusted)
    }

    @Test("make nothing good that is not trusted, or is another host's")
    func ordinaryVerification() async throws {
        let server = try site.start()
        defer { server.stop() }
        let pins = CertificatePins([try site.leaf.digest()])
        let untrusted = await failure(server, TrustSettings(pins: pins))
        #expect(untrusted?.code == .tlsUntrusted)
        #expect(untrusted?.message.contains("the certificate is not trusted") == true)
        let stranger = try TestCertificate(host: "api.example.com", issuer: site.intermediate)
        let elsewhere = try TLSServer(stranger, presenting: [site.intermediate])
        defer { elsewhere.stop() }
        #expect(await failure(elsewhere, site.trust([try stranger.digest()]))?.code == .tlsUntrusted)
    }

    @Test("are not met by a pinned certificate that is presented beside a chain of another authority's")
    func strayCertificate() async throws {
        let otherAuthority = try TestCertificate(host: "Other authority")
        let impostor = try TestCertificate(host: "localhost", issuer: otherAuthority)
        let server = try TLSServer(impostor, presenting: [site.intermediate, site.root])
        defer { server.stop() }
        let trust = TrustSettings(
            additionalCAFile: otherAuthority.file,
            pins: CertificatePins([try site.intermediate.digest(), try site.root.digest()])
        )
        #expect(await failure(server, trust)?.code == .tlsUntrusted)
    }

    @Test("of a key outlive a renewal of its certificate, and two cover a change of the key")
    func rotation() async throws {
        let renewed = try TestCertificate(host: "localhost", issuer: site.intermediate, renewing: site.leaf)
        let next = try TestCertificate(host: "localhost", issuer: site.intermediate)
        let pins: Set = [try site.leaf.keyDigest(), try next.keyDigest()]
        for certificate in [site.leaf, renewed, next] {
            let server = try TLSServer(certificate, presenting: [site.intermediate])
            defer { server.stop() }
            #expect(await failure(server, site.trust(pins, of: .publicKey)) == nil)
        }
        let server = try TLSServer(renewed, presenting: [site.intermediate])
        defer { server.stop() }
        #expect(await failure(server, site.trust([try site.leaf.digest()]))?.code == .tlsUntrusted)
    }

    @Test("are looked at whatever another account's connections to the same server were let in by")
    func otherAccount() async throws {
        let server = try site.start()
        defer { server.stop() }
        try await withClient { client in
            let unpinned = client.pool(for: settings(server, TrustSettings(additionalCAFile: site.root.file)))
            #expect(await unpinned.failure(of: .simple) == nil)
            let pinned = client.pool(for: settings(server, site.trust([Self.other])))
            #expect(await pinned.failure(of: .simple)?.code == .tlsUntrusted)
        }
    }

    private func settings(_ server: TLSServer, _ trust: TrustSettings) -> UpstreamSettings {
        UpstreamSettings(baseURL: "https://localhost:\(server.port)", timeout: ample, trust: trust)
    }

    private func failure(_ server: TLSServer, _ trust: TrustSettings) async -> UpstreamFailure? {
        let client = UpstreamClient(clock: LiveClock(), userAgent: "t")
        defer { client.close() }
        return await client.pool(for: settings(server, trust)).failure(of: .simple)
    }
}
