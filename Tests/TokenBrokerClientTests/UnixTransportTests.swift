import Foundation
import HTTPWire
import Synchronization
import Testing

@testable import TokenBrokerClient

@Suite("Exchanges over the socket", .timeLimit(.minutes(1)))
struct UnixTransportTests {
    private func ask(_ transport: UnixTransport, _ target: String = "/a", body: [UInt8] = []) async throws -> String {
        let method: HTTPMethod = body.isEmpty ? .get : .post
        let response = try await transport.exchange(HTTPClientRequest(method, target, body: body))
        return String(decoding: response.body, as: UTF8.self)
    }

    private func failure(_ transport: UnixTransport, _ target: String = "/a") async -> TransportFailure? {
        do {
            _ = try await ask(transport, target)
            return nil
        } catch {
            return error as? TransportFailure
        }
    }

    @Test("go one after the other over one connection")
    func kept() async throws {
        let server = ScriptedServer { number, connection in
            while connection.receive() != nil { connection.send(ScriptedServer.answer("\(number)")) }
        }
        let transport = UnixTransport(path: server.path)
        for _ in 0..<5 { #expect(try await ask(transport) == "0") }
    }

    @Test("go side by side over as many connections as it takes, each with its own answer")
    func sideBySide() async throws {
        let server = ScriptedServer { $1.echo() }
        let transport = UnixTransport(path: server.path)
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<200 { group.addTask { ("/\(number)", try await ask(transport, "/\(number)")) } }
            for try await (target, answer) in group { #expect(answer == target) }
        }
    }

    @Test("take an answer in pieces, and one that ends with the connection")
    func pieces() async throws {
        let server = ScriptedServer { number, connection in
            _ = connection.receive()
            if number == 1 { return connection.send("HTTP/1.1 200 OK\r\n\r\nto the end") }
            for piece in ["HTTP/1.1 200 O", "K\r\nContent-Le", "ngth: 5\r\nConnection: close\r\n\r\nhe", "llo"] {
                connection.send(piece)
            }
        }
        let transport = UnixTransport(path: server.path)
        #expect(try await ask(transport) == "hello")
        #expect(try await ask(transport) == "to the end")
    }

    @Test("send a body that is larger than the socket takes at once, and take a large answer")
    func large() async throws {
        let server = ScriptedServer { _, connection in
            var count = 0
            while count < 1_000_000, let part = connection.receive(upTo: 65536) { count += part }
            connection.send(ScriptedServer.answer(String(repeating: "x", count: 60_000)))
        }
        let transport = UnixTransport(path: server.path)
        let answer = try await ask(transport, body: [UInt8](repeating: 0x61, count: 1_000_000))
        #expect(answer.utf8.count == 60_000)
    }

    @Test("take the answer of a server that closes before it has read the whole request")
    func earlyAnswer() async throws {
        let server = ScriptedServer { number, connection in
            _ = connection.receive(upTo: 1)
            connection.send(ScriptedServer.answer("\(number)"))
            connection.endSending()
            while connection.receive(upTo: 65536) != nil {}
        }
        let transport = UnixTransport(path: server.path)
        let body = [UInt8](repeating: 0x61, count: 1_000_000)
        #expect(try await ask(transport, body: body) == "0")
        #expect(try await ask(transport) == "1")
    }

    @Test("are repeated, once, on a new connection where a kept one has died")
    func deadConnection() async throws {
        let server = ScriptedServer { number, connection in
            guard connection.receive() != nil else { return }
            connection.send(ScriptedServer.answer("\(number)"))
            // The next request is read, so the client cannot have known, and not answered.
            _ = connection.receive()
        }
        let transport = UnixTransport(path: server.path)
        for number in 0..<4 { #expect(try await ask(transport) == "\(number)") }
    }

    @Test("are not repeated where a new connection dies")
    func lost() async throws {
        let requests = Mutex(0)
        let server = ScriptedServer { _, connection in
            _ = connection.receive()
            requests.withLock { $0 += 1 }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        }
        let transport = UnixTransport(path: server.path)
        #expect(await failure(transport) == .lost)
        #expect(requests.withLock { $0 } == 1)
    }

    @Test("do not use a connection again that the server wants to close, or that has more to say")
    func notKept() async throws {
        let server = ScriptedServer { number, connection in
            while connection.receive() != nil {
                let answer = ScriptedServer.answer("\(number)", fields: number == 0 ? "Connection: close\r\n" : "")
                connection.send(number == 1 ? answer + "HTTP/1.1 200 OK\r\n" : answer)
            }
        }
        let transport = UnixTransport(path: server.path)
        for number in [0, 1, 2, 2] { #expect(try await ask(transport) == "\(number)") }
    }

    @Test("fail where what answers does not speak HTTP")
    func unreadable() async throws {
        let server = ScriptedServer { _, connection in
            _ = connection.receive()
            connection.send("220 at_v1_secret ready\r\n\r\n")
        }
        guard case .unreadable(let reason) = await failure(UnixTransport(path: server.path)) else {
            Issue.record("it was readable")
            return
        }
        #expect(!reason.contains("at_v1_secret"))
    }

    @Test("fail with the system's reason where nobody listens")
    func absent() async throws {
        #expect(await failure(UnixTransport(path: "/nonexistent/s")) == .notThere("No such file or directory"))
        let server = ScriptedServer { $1.echo() }
        server.stop()
        #expect(await failure(UnixTransport(path: server.path)) == .notThere("Connection refused"))
    }

    @Test("fail where the path is no path of a socket")
    func path() async throws {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect(await failure(UnixTransport(path: longest)) == .notThere("No such file or directory"))
        #expect(await failure(UnixTransport(path: longest + "a")) == .pathTooLong)
    }

    @Test("end at once when their task is cancelled, with their connection, and take nothing from others")
    func cancelled() async throws {
        let (events, event) = AsyncStream.makeStream(of: String.self)
        let server = ScriptedServer { number, connection in
            guard number == 0 else { return connection.echo() }
            _ = connection.receive()
            event.yield("asked")
            event.yield(connection.receive() == nil ? "closed" : "open")
        }
        let transport = UnixTransport(path: server.path)
        let caller = Task { try await ask(transport) }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "asked")
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(await iterator.next() == "closed")
        #expect(try await ask(transport, "/b") == "/b")
    }

    @Test("that were cancelled before they began throw, and leave nothing behind")
    func cancelledBefore() async throws {
        let server = ScriptedServer { _, connection in
            while let request = connection.receive() {
                if request.hasPrefix("GET /b") { connection.send(ScriptedServer.answer("/b")) }
            }
        }
        let transport = UnixTransport(path: server.path)
        for _ in 0..<100 {
            let caller = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await ask(transport)
            }
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        #expect(try await ask(transport, "/b") == "/b")
    }

    @Test("leave no connection and no thread when the transport is gone")
    func gone() async throws {
        let (events, event) = AsyncStream.makeStream(of: String.self)
        let server = ScriptedServer { _, connection in
            connection.echo()
            event.yield("closed")
        }
        do {
            let transport = UnixTransport(path: server.path)
            _ = try await ask(transport)
        }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "closed")
    }
}

extension ServerConnection {
    /// Reads what has come.
    ///
    /// - Returns: how many bytes; nil when the client has closed.
    func receive(upTo most: Int) -> Int? {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, most, 0)
        return count > 0 ? count : nil
    }

    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
