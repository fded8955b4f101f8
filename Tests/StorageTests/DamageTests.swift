import Glibc
import TestSupport
import Testing
import TokenBroker

@testable import Storage

@Suite("Store: damage", .blocking, .timeLimit(.minutes(10)))
struct DamageTests {
    let folder = TemporaryFolder()

    private func filledStore() async throws {
        let bench = Bench(folder)
        for index in 0..<50 {
            try await bench.store.save(.sample(subject: "user-\(index)", text: "token-\(index)", generation: 1))
        }
        await bench.store.close()
    }

    @Test("random bytes in the place of the store are put aside, never over what was put aside before")
    func randomBytes() async throws {
        let garbage = (0..<8192).map { _ in UInt8.random(in: 0...255) }
        var kept: [String] = []
        for _ in 0..<3 {
            folder.write(folder.storePath, garbage)
            folder.write(folder.storePath + "-wal", [1, 2, 3])
            let bench = Bench(folder)
            try folder.writeKey()
            #expect(try await bench.store.restore().tokens.isEmpty)
            #expect(bench.store.health.state == .serving)
            let path = try #require(bench.store.health.setAsidePath)
            #expect(bench.store.health.detail?.contains(path) == true)
            kept.append(path)
            #expect(folder.bytes(of: path) == garbage)
            #expect(folder.bytes(of: path + "-wal") == [1, 2, 3])
            try await bench.store.save(.sample())
            await bench.store.close()
        }
        let base = folder.storePath + ".broken-20260331T233320Z"
        #expect(kept == [base, base + "-1", base + "-2"])
    }

    @Test("damage in the middle of the file is found at the opening, and the store is put aside")
    func damagedPages() async throws {
        try await filledStore()
        var bytes = folder.bytes(of: folder.storePath)
        for index in 4096..<bytes.count { bytes[index] = 0x55 }
        folder.write(folder.storePath, bytes)
        let bench = Bench(folder)
        #expect(try await bench.store.restore().tokens.isEmpty)
        let path = try #require(bench.store.health.setAsidePath)
        #expect(folder.bytes(of: path) == bytes)
    }

    @Test("damage that is met while the store is open puts it aside, and the call goes on with a new one")
    func damageWhileOpen() async throws {
        let bench = Bench(folder)
        try await bench.store.save(.sample(text: "old"))
        let other = try Database(folder.storePath)
        _ = try other.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
        let length = folder.bytes(of: folder.storePath).count
        let descriptor = open(folder.storePath, O_WRONLY | O_CLOEXEC)
        let zeros = [UInt8](repeating: 0xAA, count: length)
        #expect(pwrite(descriptor, zeros, length, 0) == length)
        // Makes the store look at the file again.
        _ = try? other.run("CREATE TABLE another (x)")
        try await bench.store.save(.sample(text: "new"))
        #expect(bench.store.health.setAsidePath != nil)
        #expect(try await bench.store.restore().texts == ["new"])
        close(descriptor)
    }

    @Test("a log without its database is kept, and not deleted with what was committed in it")
    func logAlone() async throws {
        try folder.writeKey()
        folder.write(folder.storePath + "-wal", [9, 9, 9])
        let bench = Bench(folder)
        #expect(try await bench.store.restore().tokens.isEmpty)
        let path = try #require(bench.store.health.setAsidePath)
        #expect(folder.bytes(of: path + "-wal") == [9, 9, 9])
    }

    @Test("a log that ends anywhere leaves what was committed before, and is not damage", arguments: 0..<12)
    func truncatedLog(step: Int) async throws {
        let bench = Bench(folder)
        for index in 1...20 {
            try await bench.store.save(.sample(text: "token-\(index)", generation: Int64(index)))
        }
        let database = folder.bytes(of: folder.storePath)
        let log = folder.bytes(of: folder.storePath + "-wal")
        #expect(!log.isEmpty)
        let copy = TemporaryFolder()
        copy.write(copy.storePath, database)
        copy.write(copy.storePath + "-wal", Array(log.prefix(log.count - log.count * step / 24 - step)))
        copy.write(copy.keyPath, folder.bytes(of: folder.keyPath))
        let second = Bench(copy)
        let texts = try await second.store.restore().texts
        #expect(second.store.health.setAsidePath == nil)
        #expect(step == 0 ? texts == ["token-20"] : texts.allSatisfy { $0.hasPrefix("token-") })
    }

    @Test("a store that has nothing in it any more is put aside", arguments: [0, 4096])
    func emptied(length: Int) async throws {
        try await filledStore()
        unlink(folder.storePath)
        folder.write(folder.storePath, [])
        if length > 0 { try Database(folder.storePath).run("VACUUM") }
        #expect(folder.bytes(of: folder.storePath).count == length)
        let bench = Bench(folder)
        #expect(try await bench.store.restore().tokens.isEmpty)
        #expect(bench.store.health.state == .serving)
        let path = try #require(bench.store.health.setAsidePath)
        #expect(folder.bytes(of: path).count == length)
        #expect(try await bench.store.mayHaveLost(.policy))
    }

    @Test("a first start that ended half way is no loss: the next one begins the store")
    func halfBegun() async throws {
        for suffix in [".new", ".new-journal"] { folder.write(folder.storePath + suffix, [1, 2, 3]) }
        let bench = Bench(folder)
        try await bench.store.save(.sample(text: "kept"))
        #expect(bench.store.health.setAsidePath == nil)
        #expect(try await !bench.store.mayHaveLost(.policy))
        await bench.store.close()
        #expect(folder.names == ["broker.sqlite", "broker.sqlite.lock", "store.key"])
        #expect(try await Bench(folder).store.restore().texts == ["kept"])
    }

    @Test("another application's database is left as it is")
    func foreignDatabase() async throws {
        try folder.writeKey()
        folder.write(folder.storePath, [])
        do {
            let other = try Database(folder.storePath)
            try other.run("CREATE TABLE contacts (name)")
        }
        let before = folder.bytes(of: folder.storePath)
        let bench = Bench(folder)
        let code = await failureCode { () throws(StoreError) in _ = try await bench.store.restore() }
        #expect(code == .foreign)
        #expect(folder.bytes(of: folder.storePath) == before)
        #expect(!folder.names.contains { $0.contains("broken") })
    }

    @Test("a store of a newer version is left as it is", arguments: ["PRAGMA user_version = 999", newStep])
    func newerVersion(change: String) async throws {
        try await filledStore()
        do {
            let other = try Database(folder.storePath)
            try other.run(change)
        }
        let before = folder.bytes(of: folder.storePath)
        let bench = Bench(folder)
        let code = await failureCode { () throws(StoreError) in _ = try await bench.store.restore() }
        #expect(code == .newerVersion)
        #expect(folder.bytes(of: folder.storePath) == before)
    }

    private static let newStep = "INSERT INTO migrations (name) VALUES ('002-from-the-future')"

    @Test("a record that does not decrypt is counted when it is met, once, and not any more when it is written over")
    func recordsCounted() async throws {
        let first = Bench(folder)
        let ids = ["one", "two"].map { RecordID(.secretVersion, $0) }
        for id in ids + [RecordID(.policy, "devices")] {
            _ = try await first.store.write(Secret("value".utf8), to: id, expecting: nil, .durable)
        }
        await first.store.close()
        do {
            let other = try Database(folder.storePath)
            try other.run("UPDATE records SET sealed = zeroblob(length(sealed))")
        }
        let store = Bench(folder).store
        for _ in 0..<2 { #expect(try await store.records(of: .secretVersion).isEmpty) }
        #expect(store.health.unreadableRows == 2)
        #expect(try await store.record(RecordID(.policy, "devices")) == nil)
        #expect(store.health.unreadableRows == 3)
        #expect(store.health.state == .serving)
        _ = try await store.write(Secret("new".utf8), to: ids[0], expecting: nil, .durable)
        #expect(store.health.unreadableRows == 2)
    }

    @Test("a row that was moved, renumbered, dated anew or changed is skipped and counted; the others come back")
    func tampering() async throws {
        for change in [
            "UPDATE tokens SET scope = 'api' WHERE scope = 'web'",
            "UPDATE tokens SET version = version + 1 WHERE scope = 'web'",
            "UPDATE tokens SET written_at = written_at - 1 WHERE scope = 'web'",
            "UPDATE tokens SET sealed = (SELECT sealed FROM tokens WHERE scope = 'other') WHERE scope = 'web'",
            "UPDATE tokens SET code = zeroblob(32) WHERE scope = 'web'",
            "UPDATE tokens SET sealed = x'' WHERE scope = 'web'",
        ] {
            let folder = TemporaryFolder()
            let first = Bench(folder)
            try await first.store.save(.sample("web", text: "moved"))
            try await first.store.save(.sample("other", text: "good"))
            await first.store.close()
            do {
                let other = try Database(folder.storePath)
                try other.run(change)
            }
            let second = Bench(folder)
            #expect(try await second.store.restore().texts == ["good"], "\(change)")
            #expect(second.store.health.state == .serving)
            #expect(second.store.health.unreadableRows == 1)
            try await second.store.save(.sample("web", text: "new"))
            #expect(try await second.store.restore().texts == ["good", "new"])
        }
    }
}
