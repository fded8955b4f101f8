import EventLoop
import Glibc
import HTTPWire
import JSON

/// A program on the other end of a Unix socket. It never blocks: the loop it talks to runs on the same thread.
final class Client {
    private let number: Int32
    private var isClosed = false
    /// Bytes that came and were not taken as an answer yet.
    private(set) var received: [UInt8] = []
    /// The server has closed its direction, or the connection is broken.
    private(set) var isEnded = false

    init(connectingTo path: String) throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        number = socket(AF_UNIX, type, 0)
        guard number >= 0 else { throw SystemError(call: "socket", number: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(number, $0, size) }
        }
        guard result == 0 else { throw SystemError(call: "connect", number: errno) }
    }

    deinit {
        close()
    }

    /// Sends as much as the socket takes.
    ///
    /// - Returns: whether that was all of it.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Takes what has come.
    func receive() {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while !isEnded {
            let count = recv(number, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer.prefix(count)
            } else if count == 0 || errno != EAGAIN {
                isEnded = true
            } else {
                return
            }
        }
    }

    /// Takes what comes up to the end of a connection that the server has closed already: another test's child, which has
    /// not become its program yet, can still hold it for a moment.
    func receiveToEnd() {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while !isEnded, poll(&entry, 1, 5000) > 0 { receive() }
    }

    /// How many bytes have come that were not received yet.
    var pending: Int {
        var buffer = [UInt8](repeating: 0, count: 4 * 1024 * 1024)
        return max(0, recv(number, &buffer, buffer.count, Int32(MSG_PEEK)))
    }

    /// Tells the server that no more requests will come; answers can still be read.
    func finishWriting() {
        shutdown(number, Int32(SHUT_WR))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        // Ends it also where another test's child, which has not become its program yet, holds the socket.
        shutdown(number, Int32(SHUT_RDWR))
        _ = Glibc.close(number)
    }

    /// The first answer among the bytes that came, where it is whole.
    func takeAnswer(toHead: Bool = false) -> Answer? {
        var limits = WireLimits()
        limits.bodyBytes = 16 * 1024 * 1024
        var parser = ResponseParser(limits: limits)
        parser.answersHead = toHead
        var position = 0
        let event = received.withUnsafeBytes { parser.next($0, &position) }
        guard case .response(let response) = event else { return nil }
        defer { received.removeFirst(position) }
        return Answer(bytes: Array(received[..<position]), response: response)
    }
}

/// An answer and the bytes it came in.
struct Answer {
    let bytes: [UInt8]
    let response: HTTPClientResponse

    var status: Int { response.status }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: JSONValue? { try? JSONValue(parsing: response.body) }
    /// The stable code of a problem.
    var code: String? { json?["code"]?.string }
    var generation: Int64? { json?["generation"]?.number?.int64 }

    func header(_ name: String) -> String? {
        response.headers.first(name)
    }
}
