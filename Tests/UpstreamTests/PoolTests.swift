import Glibc
import Synchronization
import TestSupport
import Testing
import TokenBroker
import Upstream

@Suite("Connection pools", .blocking)
struct PoolTests {
    static let once = UpstreamRequest(.post, path: "/x", body: [1], isReplayable: false)
    static let replayable = UpstreamRequest(.post, path: "/x", body: [1], isReplayable: true)

    /// Answers every request.
    static let answering: ScriptedServer.Script = { connection in
        while connection.readRequest() != nil { connection.answer(body: "\(connection.number)") }
    }

    @Test("sends a replayable request over a connection that is open already")
    func reusesConnection() async throws {
        try await withPool(script: Self.answering) { pool, server in
            for _ in 0..<5 { _ = try await pool.send(Self.replayable) }
            #expect(server.accepted == 1)
        }
    }

    @Test("sends a replayable request again when the open connection turns out to be dead")
    func replaysOnDeadConnection() async throws {
        let requests = Mutex(0)
        let script: ScriptedServer.Script = { connection in
            while connection.readRequest() != nil {
                let count = requests.withLock { count in
                    count += 1
                    return count
                }
                // The first connection ends without a word when its second request has come.
                if count == 2 { return }
                connection.answer(body: "\(connection.number)")
            }
        }
        try await withPool(script: script) { pool, _ in
            _ = try await pool.send(Self.replayable)
            let response = try await pool.send(Self.replayable)
            #expect(response.body == Array("2".utf8))
            #expect(requests.withLock { $0 } == 3)
        }
    }

    @Test("leaves a connection on which nothing comes back any more, once it has found that out")
    func leavesSilentConnection() async throws {
        let script: ScriptedServer.Script = { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer(body: "\(connection.number)")
            // From here on the first connection is as one that a router on the way has forgotten.
            guard connection.number > 1 else { return connection.hang() }
            Self.answering(connection)
        }
        try await withPool(timeout: .seconds(2), script: script) { pool, server in
            _ = try await pool.send(Self.replayable)
            #expect(await pool.failure(of: Self.replayable)?.code == .timedOut)
            #expect(try await pool.send(Self.replayable).body == Array("2".utf8))
            #expect(server.accepted == 2)
        }
    }

    @Test("never lets a provider see a request twice that must not be")
    func doesNotReplay() async throws {
        let requests = Mutex(0)
        let script: ScriptedServer.Script = { connection in
            while connection.readRequest() != nil {
                let count = requests.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { return }
                connection.answer()
            }
        }
        try await withPool(script: script) { pool, server in
            _ = try await pool.send(Self.once)
            let failure = await pool.failure(of: Self.once)
            #expect(failure?.code == .connectionLost)
            #expect(requests.withLock { $0 } == 2)
            #expect(server.accepted == 2)
        }
    }

    @Test("gives a pool no connection of another one to the same host")
    func poolsShareNothing() async throws {
        try await withPool(script: Self.answering) { pool, server in
            try await withClient { client in
                let other = client.pool(for: UpstreamSettings(baseURL: server.baseURL, timeout: ample))
                _ = try await pool.send(.simple)
                _ = try await other.send(.simple)
                #expect(server.accepted == 2)
            }
        }
    }

    @Test("answers for one provider while another hangs, however many requests hang there")
    func poolsDoNotDelayEachOther() async throws {
        let hanging = try ScriptedServer { $0.hang() }
        defer { hanging.stop() }
        try await withClient { client in
            let stuck = client.pool(for: UpstreamSettings(baseURL: hanging.baseURL, timeout: ample))
            let waiting = (0..<40).map { _ in Task { await stuck.failure(of: .simple)?.code } }
            try await withPool(script: Self.answering) { pool, _ in
                let response = try await pool.send(.simple)
                #expect(response.status == 200)
            }
            client.close()
            for task in waiting { #expect(await task.value == .closed) }
        }
    }

    @Test("lets more requests wait than have connections at once, and answers them all")
    func queuesRequests() async throws {
        try await withPool(script: Self.answering) { pool, server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await pool.send(.simple).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.accepted <= 16)
        }
    }

    @Test("holds the limit of a request that waits for its turn")
    func limitsWaiting() async throws {
        try await withPool(timeout: .milliseconds(200), script: { $0.hang() }) { pool, server in
            let tasks = (0..<40).map { _ in Task { await pool.failure(of: .simple)?.code } }
            for task in tasks { #expect(await task.value == .timedOut) }
        }
    }

    @Test("ends a transfer when its task is cancelled, before or after it was sent")
    func cancels() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let script: ScriptedServer.Script = { connection in
            _ = connection.readRequest()
            arrival.yield()
            connection.hang()
            end.yield()
        }
        try await withPool(script: script) { pool, _ in
            let sent = Task { await pool.failure(of: .simple) }
            for await _ in arrivals { break }
            sent.cancel()
            let failure = try #require(await sent.value)
            #expect(failure.code == .cancelled)
            #expect(failure.requestMayHaveBeenSent)
            // The server sees the connection end.
            for await _ in ends { break }

            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await pool.failure(of: .simple)
            }
            #expect(await early.value?.code == .cancelled)
        }
    }

    @Test("fails what is sent after the client was closed")
    func closedClient() async throws {
        try await withPool(script: Self.answering) { pool, server in
            let client = UpstreamClient(clock: LiveClock(), userAgent: "t")
            let before = client.pool(for: UpstreamSettings(baseURL: server.baseURL, timeout: ample))
            client.close()
            client.close()
            let after = client.pool(for: UpstreamSettings(baseURL: server.baseURL, timeout: ample))
            #expect(await before.failure(of: .simple)?.code == .closed)
            #expect(await after.failure(of: .simple)?.code == .closed)
        }
    }

    @Test("tells that a name does not exist")
    func unknownName() async throws {
        try await withClient { client in
            let pool = client.pool(for: UpstreamSettings(baseURL: "https://nothing.invalid", timeout: .seconds(5)))
            let failure = try #require(await pool.failure(of: .simple))
            #expect([.couldNotResolve, .timedOut].contains(failure.code))
            #expect(!failure.requestMayHaveBeenSent)
        }
    }

    @Test("holds no more sockets after many requests and pools than after the first")
    func leaksNothing() async {
        // In a process of its own: other tests open and close sockets all the time.
        await #expect(processExitsWith: .success) {
            func round() async throws {
                try await withPool(script: PoolTests.answering) { pool, _ in
                    for _ in 0..<20 { _ = try await pool.send(PoolTests.once) }
                }
            }
            try await round()
            let before = openSockets()
            for _ in 0..<10 { try await round() }
            #expect(openSockets() <= before)
        }
    }
}

/// How many sockets this process has; other descriptors come and go with the runtime and the sanitizers.
func openSockets() -> Int {
    (0..<1024).count { descriptor in
        var target = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
        return length > 0 && target.starts(with: "socket:".utf8CString.dropLast())
    }
}
