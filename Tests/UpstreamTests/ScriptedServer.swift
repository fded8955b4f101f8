import Glibc
import Synchronization

@testable import Upstream

/// A server on a loopback port that sends exactly the bytes a test tells it to; each connection has a thread.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ServerConnection) -> Void

    private struct State {
        var threads: [PoolThread] = []
        var openDescriptors: Set<Int32> = []
        var accepted = 0
    }

    let port: UInt16
    private let listener: Int32
    private let script: Script
    private let state = Mutex(State())
    private let acceptor = Mutex<PoolThread?>(nil)

    init(_ script: @escaping Script) throws {
        self.script = script
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard listener >= 0, isListening else { throw SystemError(number: errno) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let thread = PoolThread { [self] in acceptConnections() }
        acceptor.withLock { $0 = thread }
    }

    var baseURL: String { "http://127.0.0.1:\(port)" }

    /// How many connections were made so far.
    var accepted: Int { state.withLock { $0.accepted } }

    /// Ends every connection, whatever its script is doing, and waits for the threads.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        acceptor.withLock { $0.take()?.join() }
        let threads = state.withLock { state in
            state.openDescriptors.forEach { shutdown($0, Int32(SHUT_RDWR)) }
            return state.threads
        }
        threads.forEach { $0.join() }
        close(listener)
    }

    private func acceptConnections() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            // A child of another test would keep the connection open.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let number = state.withLock { state in
                state.accepted += 1
                state.openDescriptors.insert(descriptor)
                return state.accepted
            }
            let thread = PoolThread { [self] in
                script(ServerConnection(descriptor: descriptor, number: number))
                state.withLock { state in
                    state.openDescriptors.remove(descriptor)
                    close(descriptor)
                }
            }
            state.withLock { state in
                if let thread { state.threads.append(thread) }
            }
        }
    }
}

/// The server's end of one connection, closed when the script returns.
struct ServerConnection: Sendable {
    let descriptor: Int32
    /// 1 for the server's first connection.
    let number: Int

    /// The next request, head and body as they came; nil when the client has closed.
    func readRequest() -> String? {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n"), bytes.count >= expectedCount(text, headEnd: end.upperBound) {
                return text
            }
            guard let more = readSome() else { return nil }
            bytes += more
        }
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Answers with a body of known length and keeps the connection open.
    func answer(_ status: String = "200 OK", headers: String = "", body: String = "") {
        send("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Does nothing until the client or the server closes.
    func hang() {
        while readSome() != nil {}
    }

    private func readSome() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    private func expectedCount(_ text: String, headEnd: String.Index) -> Int {
        let head = text[..<headEnd]
        let length = head.firstRange(of: "Content-Length: ").flatMap { range in
            Int(head[range.upperBound...].prefix { $0.isNumber })
        }
        return head.utf8.count + (length ?? 0)
    }
}

struct SystemError: Error {
    let number: Int32
}
