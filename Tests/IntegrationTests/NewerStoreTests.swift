import Glibc
import HTTPWire
import TestSupport
import Testing

@Suite("A store written by a newer version", .blocking)
struct NewerStoreTests {
    @Test("ends the daemon with 78 and a clear line, and stays as it is")
    func leftAlone() throws {
        let site = try Site { settings, _ in settings.addStore() }
        #expect(try site.broker.fetch("web").status == 200)
        site.broker.process.send(SIGTERM)
        #expect(try site.broker.process.waitForEnd() == 0)
        let store = site.scratch.path("store.sqlite")
        try claimNewerVersion(store)
        let before = (try Files.bytes(store), try Files.names(site.scratch.path))

        let process = try BrokerProcess.start(site.scratch)
        #expect(try process.waitForEnd() == 78)
        let lines = process.errors.lines.filter { $0.contains("the store is of a newer version") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(store) == true)
        #expect(!process.errors.text.contains("notice Ready"))
        #expect(try Files.bytes(store) == before.0)
        // A log with nothing in it and its index come with looking at the file.
        let new = try Files.names(site.scratch.path).subtracting(before.1)
        #expect(new.isSubset(of: ["store.sqlite-wal", "store.sqlite-shm"]), "\(new)")
        #expect(Files.status(store + "-wal").map { $0.st_size == 0 } ?? true)
        #expect(try site.simulator.mints() == 1)
    }

    /// Counts one more migration than this version can know: `PRAGMA user_version`, which SQLite's file format has at
    /// byte 60, most significant byte first.
    private func claimNewerVersion(_ store: String) throws {
        guard let file = fopen(store, "r+e") else { throw HarnessError.system("fopen") }
        fseek(file, 60, SEEK_SET)
        fwrite([0, 0, 0, 99] as [UInt8], 1, 4, file)
        guard fclose(file) == 0 else { throw HarnessError.system("fclose") }
    }
}
