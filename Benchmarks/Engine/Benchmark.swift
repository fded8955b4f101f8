internal import Glibc
internal import TokenBroker

/// Measures the engine in a process of its own, where the daemon's configuration cannot say what is to be measured.
///
/// Prints one number on standard output.
@main
enum Benchmark {
    private static let usage = """
        usage:
          memory COUNT           resident bytes of each cached token beside its text
          fill FOLDER COUNT      makes a store with that many tokens and prints how many they are
          restart FOLDER COUNT   milliseconds until that store's tokens are served again
          assertions COUNT       devices' assertions verified in a second, of that many
        """

    static func main() async {
        do {
            print(try await result(of: Array(CommandLine.arguments.dropFirst())))
        } catch {
            let line = "tokenbroker-benchmark: \(error)\n"
            _ = write(STDERR_FILENO, line, line.utf8.count)
            exit(1)
        }
    }

    private static func result(of arguments: [String]) async throws -> Int {
        guard let count = arguments.last.flatMap({ Int($0) }), count > 0 else { throw BenchmarkFailure(usage) }
        switch (arguments[0], arguments.count) {
        case ("memory", 2): return try await MemoryBenchmark(users: count).bytesPerToken()
        case ("fill", 3): return try await StoreBenchmark(folder: arguments[1], users: count).fill()
        case ("restart", 3): return try await StoreBenchmark(folder: arguments[1], users: count).millisecondsToRestart()
        case ("assertions", 2): return try AssertionBenchmark(count: count).perSecond()
        default: throw BenchmarkFailure(usage)
        }
    }
}

/// A benchmark that did not come out as it has to, so that its number would mean nothing.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
