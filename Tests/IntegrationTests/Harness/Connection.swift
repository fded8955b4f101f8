import Glibc
import HTTPWire
import JSON

typealias Answer = HTTPClientResponse

/// A client's connection, to a Unix socket or a port of this host.
final class Connection {
    private let socket: Int32
    private var parser: ResponseParser
    /// A status tells of every token.
    private static let limits: WireLimits = {
        var limits = WireLimits.default
        limits.bodyBytes = 1 << 20
        return limits
    }()
    /// What was received, of which the bytes before `position` have been looked at.
    private var input: [UInt8] = []
    private var position = 0

    init(unix path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw HarnessError("too long for a socket: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        parser = ResponseParser(limits: Self.limits)
        socket = try Self.connect(AF_UNIX, &address)
    }

    init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        parser = ResponseParser(limits: Self.limits)
        socket = try Self.connect(AF_INET, &address)
    }

    deinit {
        close(socket)
    }

    private static func connect<Address>(_ domain: Int32, _ address: inout Address) throws -> Int32 {
        let socket = Glibc.socket(domain, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw HarnessError.system("socket") }
        let size = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, size) }
        }
        guard result == 0 else {
            defer { close(socket) }
            throw HarnessError.system("connect")
        }
        return socket
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw HarnessError.system("send") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends what the kernel takes without waiting, and forgets the rest.
    func sendWhatIsTaken(_ bytes: [UInt8]) throws {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        guard Glibc.send(socket, bytes, bytes.count, flags) > 0 else { throw HarnessError.system("send") }
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func endSending() {
        shutdown(socket, Int32(SHUT_WR))
    }

    func send(_ request: HTTPClientRequest) throws {
        parser.answersHead = request.method == .head
        try send(request.encoded())
    }

    /// The next answer; fails where the connection ends before it does.
    func receive(patience: Duration = Deadline.usual) throws -> Answer {
        let deadline = Deadline(patience)
        while true {
            switch input.withUnsafeBytes({ parser.next($0, &position) }) {
            case .needsMore:
                input = try read(deadline)
                position = 0
                guard input.isEmpty else { continue }
                guard case .response(let answer) = parser.finish() else {
                    throw HarnessError("the connection ended before the answer")
                }
                return answer
            case .response(let answer): return answer
            case .refused(let refusal): throw refusal
            }
        }
    }

    /// Everything up to the end of the connection.
    func receiveAll() throws -> String {
        let deadline = Deadline()
        var bytes = Array(input[position...])
        while case let more = try read(deadline), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes that have come, without waiting for a whole answer.
    func receiveSome() throws -> String {
        String(decoding: try read(Deadline()), as: UTF8.self)
    }

    private func read(_ deadline: Deadline) throws -> [UInt8] {
        try deadline.wait(for: socket, POLLIN)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count >= 0 else { throw HarnessError.system("recv") }
        return Array(buffer.prefix(count))
    }
}

extension Connection {
    /// Sends a request and waits for its answer.
    func exchange(
        _ method: HTTPMethod,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8] = [],
        host: String = "localhost"
    ) throws -> Answer {
        let fields = try headers.map { try HeaderField($0.0, $0.1) }
        try send(HTTPClientRequest(method, target, host: host, headers: fields, body: body))
        return try receive()
    }
}

extension HTTPClientResponse {
    /// The body; null where it is not a JSON document.
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    /// The stable code of an error.
    var code: String? { json["code"]?.string }

    func text(_ member: String) -> String? { json[member]?.string }

    func integer(_ member: String) -> Int64? { json[member]?.number?.int64 }
}
