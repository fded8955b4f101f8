import Glibc
import Testing
import TokenBroker

@testable import Storage

@Suite("The file of spent seeds")
struct SeedFileTests {
    private let folder = TemporaryFolder()
    private let fingerprint = String(repeating: "a1", count: 32)
    private var path: String { folder.storePath + ".spent-seeds" }

    private func file() -> SeedFile {
        SeedFile(besideStoreAt: folder.storePath, of: Bench(folder).store)
    }

    @Test("knows who claimed a seed first, also in another process")
    func claims() async throws {
        let other = String(repeating: "b2", count: 32)
        let first = file()
        #expect(try await first.owner(of: fingerprint) == nil)
        #expect(try await first.claim(fingerprint, for: "one") == "one")
        #expect(try await first.claim(fingerprint, for: "one") == "one")
        #expect(try await first.claim(fingerprint, for: "two") == "one")
        #expect(try await first.claim(other, for: "two") == "two")
        let second = file()
        #expect(try await second.owner(of: fingerprint) == "one")
        #expect(try await second.owner(of: other) == "two")
        #expect(try await second.owner(of: String(fingerprint.dropLast())) == nil)
        #expect(String(decoding: folder.bytes(of: path), as: UTF8.self) == "\(fingerprint) one\n\(other) two\n")
    }

    @Test("is the daemon's alone, and leaves no draft behind")
    func permissions() async throws {
        let before = umask(0)
        defer { umask(before) }
        folder.write(path + ".new", Array("left over".utf8), permissions: 0o666)
        _ = try await file().claim(fingerprint, for: "one")
        #expect(folder.permissions(of: path) == 0o600)
        #expect(folder.names == ["broker.sqlite.spent-seeds"])
    }

    @Test("stays where it is when the store is set aside")
    func setAside() async throws {
        let bench = Bench(folder)
        _ = try await bench.store.restore()
        let file = SeedFile(besideStoreAt: folder.storePath, of: bench.store)
        _ = try await file.claim(fingerprint, for: "one")
        await bench.store.close()
        folder.write(folder.storePath, Array(repeating: 0x6A, count: 16384))
        let next = Bench(folder)
        _ = try await next.store.restore()
        #expect(next.store.health.setAsidePath != nil)
        #expect(try await SeedFile(besideStoreAt: folder.storePath, of: next.store).owner(of: fingerprint) == "one")
    }

    @Test(
        "that is damaged tells nothing, and is not written over",
        arguments: ["junk", "junk\n", "aa bb cc\n", "aa \n", "aa bb", "\n", "aa BB\n"]
    )
    func damaged(text: String) async {
        folder.write(path, Array(text.utf8))
        let file = file()
        let reading = await failureCode { () async throws(StoreError) in _ = try await file.owner(of: fingerprint) }
        let writing = await failureCode { () async throws(StoreError) in
            _ = try await file.claim(fingerprint, for: "one")
        }
        #expect(reading == .corrupt)
        #expect(writing == .corrupt)
        #expect(folder.bytes(of: path) == Array(text.utf8))
    }

    @Test("is not written where others could change it, nor through a link")
    func notOurs() async throws {
        let file = file()
        #expect(chmod(folder.path, 0o777) == 0)
        let open = await failureCode { () async throws(StoreError) in _ = try await file.claim(fingerprint, for: "one")
        }
        #expect(open == .unavailable)
        #expect(chmod(folder.path, 0o700) == 0)
        #expect(symlink("/dev/null", path) == 0)
        let link = await failureCode { () async throws(StoreError) in _ = try await file.owner(of: fingerprint) }
        #expect(link == .unavailable)
    }
}
