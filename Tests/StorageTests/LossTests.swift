import TestSupport
import Testing
import TokenBroker

@testable import Storage

@Suite("Store: what may be lost", .blocking)
struct LossTests {
    private let folder = TemporaryFolder()
    private let id = RecordID(.policy, "key")

    private func write(_ text: String, with bench: Bench) async throws {
        _ = try await bench.store.write(Secret(text.utf8), to: id, expecting: nil, .durable)
    }

    @Test("is nothing in a store that is whole, whether it has the record or not")
    func whole() async throws {
        let bench = Bench(folder)
        #expect(try await !bench.store.mayHaveLost(.policy))
        try await write("kept", with: bench)
        #expect(try await !bench.store.mayHaveLost(.policy))
        await bench.store.close()
        // What only begins as the names of stores that were put aside do.
        folder.write(folder.storePath + ".broken", [])
        folder.write(folder.path + "/other.sqlite.broken-20260331T233320Z", [])
        let second = Bench(folder)
        #expect(try await !second.store.mayHaveLost(.policy))
    }

    @Test(
        "is a record that was moved or changed, and only what is of its kind",
        arguments: ["UPDATE records SET code = zeroblob(32)", "UPDATE records SET sealed = zeroblob(40)"]
    )
    func tampered(change: String) async throws {
        let first = Bench(folder)
        try await write("kept", with: first)
        await first.store.close()
        do {
            let other = try Database(folder.storePath)
            try other.run(change)
        }
        let second = Bench(folder)
        #expect(try await second.store.record(id) == nil)
        #expect(try await second.store.mayHaveLost(.policy))
        #expect(try await !second.store.mayHaveLost(.refreshToken))
    }

    @Test("is what a store had that was put aside, in this run and in those after it, until that is taken away")
    func setAside() async throws {
        folder.write(folder.storePath, [UInt8](repeating: 7, count: 8192))
        try folder.writeKey()
        let first = Bench(folder)
        #expect(try await first.store.mayHaveLost(.policy))
        await first.store.close()
        let second = Bench(folder)
        #expect(second.store.health.setAsidePath == nil)
        #expect(try await second.store.mayHaveLost(.policy))
    }
}
