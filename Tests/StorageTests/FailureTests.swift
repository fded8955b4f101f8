import Glibc
import TestSupport
import Testing
import TokenBroker

@testable import Storage

@Suite("Store: failures that pass", .blocking, .timeLimit(.minutes(10)))
struct FailureTests {
    let folder = TemporaryFolder()

    @Test("a second broker does not get the store, and gets it when the first one ends")
    func twoBrokers() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample(text: "kept"))
        let second = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await second.store.restore() } == .inUse)
        await first.store.close()
        second.endPause()
        await second.waitUntil(.serving)
        #expect(try await second.store.restore().texts == ["kept"])
    }

    @Test(
        "while another process writes, saving fails; later calls fail at once, reading goes on, and it heals by itself"
    )
    func locked() async throws {
        let bench = Bench(folder)
        try await bench.store.save(.sample(text: "kept"))
        let other = try Database(folder.storePath)
        try other.run("BEGIN IMMEDIATE")
        let lost = StoredToken.sample(text: "lost", generation: 2)
        #expect(await failureCode { () throws(StoreError) in try await bench.store.save(lost) } == .locked)
        #expect(bench.store.health.state == .failing(.locked))
        let clock = ContinuousClock()
        let begin = clock.now
        #expect(await failureCode { () throws(StoreError) in try await bench.store.save(lost) } == .locked)
        #expect(clock.now - begin < .seconds(1))
        #expect(try await bench.store.restore().texts == ["kept"])
        try other.run("ROLLBACK")
        bench.endPause()
        await bench.waitUntil(.serving)
        #expect(bench.store.health.detail == nil)
        try await bench.store.save(.sample(text: "saved", generation: 2))
        #expect(try await bench.store.restore().texts == ["saved"])
    }

    @Test(
        "a full disk fails the write and keeps what is there; it heals when there is room",
        .enabled(if: Mount.isPossible)
    )
    func full() async throws {
        let mount = Mount(on: folder.path, size: "400k")
        let bench = Bench(folder)
        try await bench.store.save(.sample(text: "kept"))
        let filler = folder.path + "/filler"
        mount.fill(filler)
        var code: StoreError.Code?
        for index in 0..<50 where code == nil {
            let token = StoredToken.sample("big", text: String(repeating: "x", count: 16000), generation: Int64(index))
            code = await failureCode { () throws(StoreError) in try await bench.store.save(token) }
        }
        #expect(code == .full)
        #expect(bench.store.health.state == .failing(.full))
        #expect(try await bench.store.restore().texts.contains("kept"))
        unlink(filler)
        bench.endPause()
        await bench.waitUntil(.serving)
        try await bench.store.save(.sample(text: "saved", generation: 2))
        #expect(bench.store.health.setAsidePath == nil)
        await bench.store.close()
    }

    @Test("a read-only file system is read, and is a failure that passes", .enabled(if: Mount.isPossible))
    func readOnly() async throws {
        let mount = Mount(on: folder.path, size: "2m")
        // With all that means something in the address of a file.
        let path = folder.path + "/a?b#c%41.sqlite"
        let settings = StorageSettings(path: path, key: .file(path: folder.keyPath))
        let first = Bench(settings)
        try await first.store.save(.sample(text: "kept"))
        await first.store.close()
        mount.remount("ro")
        let second = Bench(settings)
        #expect(try await second.store.restore().texts == ["kept"])
        #expect(second.store.health.state == .failing(.readOnly))
        #expect(await failureCode { () throws(StoreError) in try await second.store.save(.sample()) } == .readOnly)
        let third = Bench(settings)
        #expect(await failureCode { () throws(StoreError) in _ = try await third.store.restore() } == .inUse)
        await third.store.close()
        mount.remount("rw")
        second.endPause()
        await second.waitUntil(.serving)
        try await second.store.save(.sample("web", text: "new", generation: 2))
        #expect(try await second.store.restore().texts == ["new"])
        await second.store.close()
    }

    @Test(
        "what was committed in the log alone is not lost on a read-only file system",
        .enabled(if: Mount.isPossible),
        arguments: [["", "-wal", "-shm"], ["", "-wal"]]
    )
    func readOnlyWithLog(suffixes: [String]) async throws {
        let first = Bench(folder)
        try await first.store.save(.sample(text: "kept"))
        let copy = TemporaryFolder()
        let mount = Mount(on: copy.path, size: "2m")
        for suffix in suffixes + [".lock"] {
            copy.write(copy.storePath + suffix, folder.bytes(of: folder.storePath + suffix))
        }
        copy.write(copy.keyPath, folder.bytes(of: folder.keyPath))
        mount.remount("ro")
        let second = Bench(copy)
        // Without the index of the log SQLite does not read it, and without the log nothing is.
        let texts = try? await second.store.restore().texts
        #expect(texts == (suffixes.contains("-shm") ? ["kept"] : nil))
        mount.remount("rw")
        second.endPause()
        await second.waitUntil(.serving)
        #expect(try await second.store.restore().texts == ["kept"])
        #expect(second.store.health.setAsidePath == nil)
        await second.store.close()
    }

    @Test("a directory that others may write to is refused, with the remedy")
    func openDirectory() async throws {
        chmod(folder.path, 0o777)
        let bench = Bench(folder)
        do {
            _ = try await bench.store.restore()
            Issue.record("opened")
        } catch {
            #expect(error.code == .unavailable)
            #expect(error.description.contains("chmod go-w \(folder.path)"))
        }
        // Nothing but the mark that tokens are served beside the store.
        #expect(folder.names == ["broker.sqlite.behind"])
    }

    @Test("a link or a folder in the place of the store is refused")
    func otherThanFiles() async throws {
        try folder.writeKey()
        let target = folder.path + "/target"
        folder.write(target, [])
        symlink(target, folder.storePath)
        let linked = Bench(folder)
        #expect(await failureCode { () throws(StoreError) in _ = try await linked.store.restore() } == .unavailable)
        #expect(folder.bytes(of: target).isEmpty)
        await linked.store.close()
        unlink(folder.storePath)
        mkdir(folder.storePath, 0o700)
        let folderInstead = Bench(folder)
        let code = await failureCode { () throws(StoreError) in _ = try await folderInstead.store.restore() }
        #expect(code == .unavailable)
    }

    @Test("a store that others could read is closed to them")
    func tightened() async throws {
        let first = Bench(folder)
        try await first.store.save(.sample())
        await first.store.close()
        chmod(folder.storePath, 0o644)
        let second = Bench(folder)
        #expect(try await second.store.restore().tokens.count == 1)
        #expect(folder.permissions(of: folder.storePath) == 0o600)
    }
}
