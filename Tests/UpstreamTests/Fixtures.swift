import Glibc
import TokenBroker
import Upstream

/// The host's own clocks: the limits of libcurl run on them too.
struct LiveClock: HostClock {
    func now() -> Moment {
        Moment(
            boot: BootInstant(nanoseconds: read(CLOCK_BOOTTIME)),
            wall: WallInstant(milliseconds: read(CLOCK_REALTIME) / 1_000_000)
        )
    }

    private func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Long enough for any answer on a loaded machine: a test that gets near it has failed.
let ample: Duration = .seconds(60)

/// Opens a client for the duration of `body`.
func withClient<Result>(_ body: (UpstreamClient) async throws -> Result) async throws -> Result {
    let client = UpstreamClient(clock: LiveClock(), userAgent: "tokenbroker-tests/1")
    defer { client.close() }
    return try await body(client)
}

/// Runs `script` on each connection of a server, and `body` with a pool that leads to it.
func withPool<Result>(
    timeout: Duration = ample,
    path: String = "",
    script: @escaping ScriptedServer.Script,
    _ body: (any HTTPSender, ScriptedServer) async throws -> Result
) async throws -> Result {
    let server = try ScriptedServer(script)
    defer { server.stop() }
    return try await withClient { client in
        try await body(client.pool(for: UpstreamSettings(baseURL: server.baseURL + path, timeout: timeout)), server)
    }
}

extension HTTPSender {
    /// The failure that sending ends with; nil when there is an answer.
    func failure(of request: UpstreamRequest) async -> UpstreamFailure? {
        do throws(UpstreamFailure) {
            _ = try await send(request)
            return nil
        } catch {
            return error
        }
    }
}

extension UpstreamRequest {
    static let simple = UpstreamRequest(.get, path: "/x", isReplayable: true)
}
