import Glibc
import TestSupport
import Testing
import TokenBroker

@testable import Storage

@Suite("Store: what it was not given", .blocking, .timeLimit(.minutes(10)))
struct BehindTests {
    let folder = TemporaryFolder()

    private var mark: String { folder.storePath + ".behind" }
    private var isMarked: Bool { access(mark, F_OK) == 0 }

    /// Has a store fail one write, by a lock of another process, and heal.
    private func failOnce(_ bench: Bench) async throws {
        let other = try Database(folder.storePath)
        try other.run("BEGIN IMMEDIATE")
        let code = await failureCode { () throws(StoreError) in try await bench.store.save(.sample(text: "lost")) }
        #expect(code == .locked)
        // Whoever is told of the failure serves what is not in the store: it is too late to note that afterwards.
        #expect(isMarked)
        #expect(await failureCode { () throws(StoreError) in try await bench.store.noteCaughtUp() } == .locked)
        try other.run("ROLLBACK")
        bench.endPause()
        await bench.waitUntil(.serving)
    }

    @Test("a store that took everything in is not behind, whatever became of its process")
    func whole() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample())
        #expect(!isMarked)
        await first.store.close()
        #expect(try await !Bench(folder).store.restore().isBehind)
    }

    @Test("the run after one whose store failed is told so, until the store has everything again")
    func behind() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample())
        try await failOnce(first)
        // This run knows by itself what it served.
        #expect(try await !first.store.restore().isBehind)
        await first.store.close()
        let second = Bench(folder)
        #expect(try await second.store.restore().isBehind)
        #expect(folder.permissions(of: mark) == 0o600)
        try await second.store.noteCaughtUp()
        #expect(try await !second.store.restore().isBehind)
        #expect(!isMarked)
        await second.store.close()
        #expect(try await !Bench(folder).store.restore().isBehind)
    }

    @Test("a run that could not even read the store leaves the mark for the next one")
    func unread() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample())
        await first.store.close()
        let key = folder.bytes(of: folder.keyPath)
        folder.write(folder.keyPath, Array(String(repeating: "ab", count: 32).utf8))
        let second = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await second.store.restore() } == .wrongKey)
        await second.store.close()
        folder.write(folder.keyPath, key)
        #expect(try await Bench(folder).store.restore().isBehind)
    }

    @Test("a store beside which nothing is served is not marked")
    func leftAlone() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample())
        let second = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await second.store.restore() } == .inUse)
        await second.store.close()
        #expect(!isMarked)
        await first.store.close()
        try Database(folder.storePath).run("PRAGMA user_version = 999")
        let third = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await third.store.restore() } == .newerVersion)
        #expect(!isMarked)
    }
}
