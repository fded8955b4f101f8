internal import Glibc
internal import TokenBroker

/// What a cached token costs in resident memory: its place in the engine's tables, its key, its deadlines.
struct MemoryBenchmark {
    let users: Int

    /// - Returns: what the process grew by for each token, less the token's own text.
    func bytesPerToken() async throws -> Int {
        // The first mint brings in what every process pays once.
        let warmUp = UserTokens(users: 1)
        _ = await warmUp.askForAll(warmUp.broker())
        let tokens = UserTokens(users: users)
        let broker = tokens.broker()
        let before = try residentBytes()
        guard await tokens.askForAll(broker) == users else { throw BenchmarkFailure("a token was not minted") }
        let growth = try residentBytes() - before
        guard tokens.countCached(in: broker) == users else { throw BenchmarkFailure("a token was not kept") }
        return growth / users - UserTokens.textLength
    }

    private func residentBytes() throws -> Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkFailure("there is no /proc") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = max(0, read(descriptor, &buffer, buffer.count))
        let fields = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw BenchmarkFailure("statm is not understood") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
