import Glibc
import TestSupport
import Testing
import TokenBroker

@testable import Storage

extension TemporaryFolder {
    /// Puts a key there as an operator would.
    func writeKey(_ byte: UInt8 = 7, at path: String? = nil) throws {
        write(path ?? keyPath, [UInt8](repeating: byte, count: 32))
    }
}

@Suite("Store key", .blocking, .timeLimit(.minutes(10)))
struct KeyTests {
    let folder = TemporaryFolder()

    @Test("32 bytes, and 64 hexadecimal digits with at most one line feed, are keys")
    func forms() throws {
        let digits = Array(String(repeating: "aF", count: 32).utf8)
        let raw = [UInt8](repeating: 0xAF, count: 32)
        for form in [raw, digits, digits + [10]] {
            let key = form.withUnsafeBytes { StoreKey($0) }
            #expect(key?.secret == Secret(raw))
        }
        for form in [[], raw + [10], digits + [10, 10], digits + [13, 10], Array(digits.dropLast()), digits + [97]] {
            #expect(form.withUnsafeBytes { StoreKey($0) } == nil)
        }
        #expect((Array(digits.dropLast()) + [0x67]).withUnsafeBytes { StoreKey($0) } == nil)
    }

    @Test("a key is made for the owner alone where neither it nor a store exists, and nothing else is left behind")
    func make() async throws {
        let bench = Bench(folder)
        _ = try await bench.store.restore()
        #expect(folder.permissions(of: folder.keyPath) == 0o600)
        #expect(folder.permissions(of: folder.storePath) == 0o600)
        #expect(folder.bytes(of: folder.keyPath).count == 65)
        await bench.store.close()
        #expect(folder.names == ["broker.sqlite", "broker.sqlite.lock", "store.key"])
    }

    @Test("a key that is missing beside a store is not made anew; the store heals when it is back")
    func missing() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample(text: "kept"))
        await first.store.close()
        let key = folder.bytes(of: folder.keyPath)
        unlink(folder.keyPath)
        let before = folder.bytes(of: folder.storePath)

        let second = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await second.store.restore() } == .keyUnusable)
        #expect(second.store.health.state == .failing(.keyUnusable))
        #expect(folder.permissions(of: folder.keyPath) == nil)
        #expect(folder.bytes(of: folder.storePath) == before)

        folder.write(folder.keyPath, key)
        second.endPause()
        await second.waitUntil(.serving)
        #expect(try await second.store.restore().texts == ["kept"])
    }

    @Test("a wrong key leaves the store as it is, and the right one opens it again")
    func wrong() async throws {
        try folder.writeKey(1)
        let first = Bench(folder)
        try await first.store.save(.sample(text: "kept"))
        await first.store.close()
        try folder.writeKey(2)
        let before = folder.bytes(of: folder.storePath)
        let second = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await second.store.restore() } == .wrongKey)
        #expect(await failureCode { () throws(StoreError) in try await second.store.save(.sample()) } == .wrongKey)
        #expect(folder.bytes(of: folder.storePath) == before)
        try folder.writeKey(1)
        second.endPause()
        await second.waitUntil(.serving)
        #expect(try await second.store.restore().texts == ["kept"])
    }

    @Test("a replaced key re-encrypts everything, and the old one opens nothing any more")
    func replace() async throws {
        try folder.writeKey(1)
        let old = Bench(folder)
        try await old.store.save(.sample(subject: "user", text: "kept"))
        try await old.store.save(.sample)
        let id = RecordID(.policy, "route")
        let record = try await old.store.write(Secret("enforce".utf8), to: id, expecting: nil, .durable)
        try await old.store.appendAudit([.sample(.operation, "kept")])
        let block = try await old.store.reserveGenerations(5, above: Generation(0))
        await old.store.close()

        let oldPath = folder.path + "/old.key"
        try folder.writeKey(1, at: oldPath)
        try folder.writeKey(2)
        let replacing = StorageSettings(
            path: folder.storePath,
            key: .file(path: folder.keyPath),
            previousKey: .file(path: oldPath)
        )
        for settings in [replacing, replacing, Bench(folder).settings] {
            let bench = Bench(settings)
            #expect(try await bench.store.restore().texts == ["kept"])
            #expect(try await bench.store.restore().holds.count == 1)
            #expect(try await bench.store.record(id) == record)
            #expect(try await bench.store.auditTexts() == ["kept"])
            #expect(try await bench.store.reserveGenerations(1, above: Generation(0)).first > block.last)
            #expect(bench.store.health.unreadableRows == 0)
            try await bench.store.save(.sample(subject: "user", text: "kept"))
            #expect(try await bench.store.restore().tokens.count == 1)
            await bench.store.close()
        }
        let back = Bench(StorageSettings(path: folder.storePath, key: .file(path: oldPath)))
        #expect(await failureCode { () throws(StoreError) in _ = try await back.store.restore() } == .wrongKey)
    }

    @Test("a key that others could read is refused", arguments: [0o604, 0o620, 0o666] as [mode_t])
    func exposed(permissions: mode_t) async throws {
        folder.write(folder.keyPath, [UInt8](repeating: 7, count: 32), permissions: permissions)
        let bench = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await bench.store.restore() } == .keyUnusable)
        #expect(folder.permissions(of: folder.storePath) == nil)
    }

    @Test("a credential is taken with the mode that the service manager gave it, and never made")
    func credential() async throws {
        let source = StorageSettings.KeySource.credential(name: "store-key", directory: folder.path)
        let settings = StorageSettings(path: folder.storePath, key: source)
        let missing = Bench(settings)
        #expect(await failureCode { () throws(StoreError) in _ = try await missing.store.restore() } == .keyUnusable)
        await missing.store.close()
        folder.write(folder.path + "/store-key", [UInt8](repeating: 7, count: 32), permissions: 0o444)
        let bench = Bench(settings)
        #expect(try await bench.store.restore().tokens.isEmpty)
    }

    @Test("HKDF gives the first block of the standard's third test case")
    func derivation() {
        // RFC 5869, appendix A.3: no salt and no info.
        let derivation = KeyDerivation(Secret([UInt8](repeating: 0x0B, count: 22)), salt: [])
        let block: [UInt8] = [
            0x8D, 0xA4, 0xE7, 0x75, 0xA5, 0x63, 0xC1, 0x8F, 0x71, 0x5F, 0x80, 0x2A, 0x06, 0x3C, 0x5A, 0x31,
            0xB8, 0xA1, 0x1F, 0x5C, 0x5E, 0xE1, 0x87, 0x9E, 0xC3, 0x45, 0x4E, 0x5F, 0x3C, 0x73, 0x8D, 0x2D,
        ]
        #expect(derivation.key(for: "") == Secret(block))
        #expect(derivation.key(for: "a") != derivation.key(for: "b"))
    }
}
