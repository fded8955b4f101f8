import FoundationEssentials
import Glibc
import Storage
import TestSupport
import Testing
import TokenBroker

/// A child writes until it is killed at a random moment, and puts down what the store had confirmed by then.
@Suite("Store: kill -9", .blocking, .timeLimit(.minutes(10)))
struct KillTests {
    private static let rounds = 12

    @Test("whatever was confirmed is there after a kill, and no generation is handed out twice")
    func killedAtRandom() async throws {
        let folder = TemporaryFolder()
        for _ in 0..<Self.rounds {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                try await writeUntilKilled(in: path)
            }
        }
        let confirmed = String(decoding: folder.bytes(of: folder.path + "/confirmed"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: " ").compactMap { Int64($0) } }
        let numbers = confirmed.map { $0[0] }
        #expect(!numbers.isEmpty)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers == numbers.sorted())

        let bench = Bench(folder)
        let state = try await bench.store.restore()
        #expect(bench.store.health.setAsidePath == nil)
        #expect(bench.store.health.unreadableRows == 0)
        let last = try #require(numbers.last)
        // The child may have been killed between the commit and its note of it.
        let held = try #require(state.tokens.first).value
        #expect(held.generation.number >= last)
        #expect(held.text == Secret("token-\(held.generation.number)".utf8))
        #expect(try await bench.store.reserveGenerations(1, above: Generation(0)).first.number > last)
    }
}

/// Takes a block, saves a token with each of its numbers, and notes each number once the store has confirmed the token.
private func writeUntilKilled(in path: String) async throws {
    let settings = StorageSettings(path: path + "/broker.sqlite", key: .file(path: path + "/store.key"))
    let bench = Bench(settings)
    let notes = open(path + "/confirmed", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    var killer = pthread_t()
    pthread_create(&killer, nil, killSoon, nil)
    while true {
        let block = try await bench.store.reserveGenerations(Int64.random(in: 1...5), above: Generation(0))
        for number in block.first.number...block.last.number {
            try await bench.store.save(.sample(text: "token-\(number)", generation: number))
            let note = Array("\(number)\n".utf8)
            _ = write(notes, note, note.count)
        }
    }
}

private func killSoon(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    usleep(UInt32.random(in: 1000...150_000))
    kill(getpid(), SIGKILL)
    return nil
}
