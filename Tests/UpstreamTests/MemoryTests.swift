import Glibc
import TestSupport
import Testing
import TokenBroker
import Upstream

@Suite("What is left of a request in memory", .blocking)
struct MemoryTests {
    /// A key of random letters, each with all its bits turned.
    private let masked = (0..<48).map { _ in ~UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }

    private func makeKey() -> Secret {
        withUnsafeTemporaryAllocation(byteCount: masked.count, alignment: 1) { bytes in
            for index in masked.indices { bytes[index] = ~masked[index] }
            defer { explicit_bzero(bytes.baseAddress!, bytes.count) }
            return Secret(bytes)
        }
    }

    /// Answers requests without keeping anything of them.
    private static let script: ScriptedServer.Script = { connection in
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { bytes in
            while recv(connection.descriptor, bytes.baseAddress, bytes.count, 0) > 0 {
                explicit_bzero(bytes.baseAddress!, bytes.count)
                connection.answer()
            }
        }
    }

    @Test("is nothing of its key")
    func key() async throws {
        try await withPool(script: Self.script) { pool, _ in
            let key = makeKey()
            for _ in 0..<3 {
                let headers: [UpstreamRequest.Header] = [
                    .init("Authorization", .bearer(key)), .init("X-Key", .secret(key)),
                ]
                _ = try await pool.send(UpstreamRequest(.post, path: "/", headers: headers, isReplayable: true))
            }
            #expect(try OwnMemory.count(ofMasked: masked) > 0)
        }
        #expect(try OwnMemory.count(ofMasked: masked) == 0)
    }
}
