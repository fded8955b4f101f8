import TestSupport
import Testing
import TokenBroker

@testable import Storage

@Suite("Store: secrecy", .blocking)
struct SecrecyTests {
    let folder = TemporaryFolder()

    @Test("no token, record, user or audit row is in any file in plain text, and no error or health tells one")
    func canaries() async throws {
        let canaries = [
            "canary-token", "canary-user", "canary-record", "canary-device", "canary-audit", "canary-detail",
        ]
        let bench = Bench(folder)
        try await bench.store.save(.sample(subject: canaries[1], text: canaries[0]))
        let id = RecordID(.deviceCounter, canaries[3])
        _ = try await bench.store.write(Secret(canaries[2].utf8), to: id, expecting: nil, .durable)
        try await bench.store.appendAudit([.sample(.operation, canaries[4])])
        let hold = StoredHold(
            key: HoldKey(account: "account", endpoint: "token"),
            failureCode: "provider_unavailable",
            detail: canaries[5],
            until: bench.clock.now(),
            attempts: 1
        )
        try await bench.store.save(hold)
        _ = try await bench.store.takeLease(on: canaries[1], by: "holder", for: .seconds(10))

        let names = folder.names
        #expect(names.contains("broker.sqlite-wal"))
        #expect(names.contains("broker.sqlite-shm"))
        for name in names {
            let content = folder.bytes(of: folder.path + "/" + name)
            for canary in canaries {
                #expect(content.firstRange(of: Array(canary.utf8)) == nil, "\(canary) in \(name)")
            }
            #expect(folder.permissions(of: folder.path + "/" + name) == 0o600, "\(name)")
        }
        do {
            _ = try await bench.store.write(Secret(canaries[2].utf8), to: id, expecting: nil, .durable)
            Issue.record("written twice")
        } catch {
            for canary in canaries {
                #expect(!String(reflecting: error).contains(canary))
                #expect(!error.description.contains(canary))
            }
        }
    }

    @Test("two rows with one content have nothing in common, not even under one identity")
    func nonces() throws {
        let cipher = Cipher(key: Secret([UInt8](repeating: 1, count: 32)))
        var plaintext = Plaintext()
        plaintext.append("the same text in both")
        let one = cipher.seal(plaintext, as: [1])
        let two = cipher.seal(plaintext, as: [1])
        #expect(one != two)
        #expect(one.prefix(12) != two.prefix(12))
        let opened = try cipher.open(one, as: [1])
        let text = try opened.withBytes { bytes in
            var reader = PlaintextReader(bytes)
            return try reader.text()
        }
        #expect(text == "the same text in both")
    }

    @Test("a changed bit anywhere, another identity or another key opens nothing")
    func authenticity() {
        let cipher = Cipher(key: Secret([UInt8](repeating: 1, count: 32)))
        var plaintext = Plaintext()
        plaintext.append("text")
        let sealed = cipher.seal(plaintext, as: [1])
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(!opens(cipher, changed, [1]))
        }
        for length in 0..<sealed.count { #expect(!opens(cipher, Array(sealed.prefix(length)), [1])) }
        #expect(!opens(cipher, sealed, [2]))
        #expect(!opens(Cipher(key: Secret([UInt8](repeating: 2, count: 32))), sealed, [1]))
        #expect(opens(cipher, sealed, [1]))
    }

    private func opens(_ cipher: Cipher, _ sealed: [UInt8], _ identity: [UInt8]) -> Bool {
        do {
            _ = try cipher.open(sealed, as: identity)
            return true
        } catch {
            return false
        }
    }

    @Test("fields that lie about their length are unreadable, and never a trap")
    func malformedFields() {
        for bytes in [[], [0, 0], [0x7F] + [UInt8](repeating: 0xFF, count: 7), [UInt8](repeating: 0xFF, count: 8)] {
            let isReadable = bytes.withUnsafeBytes { bytes in
                var reader = PlaintextReader(bytes)
                return (try? reader.text()) != nil
            }
            #expect(!isReadable)
        }
    }
}
