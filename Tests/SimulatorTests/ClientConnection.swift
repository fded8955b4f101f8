import Glibc
import HTTPWire

struct ClientError: Error {
    let description: String
}

/// A plain, blocking connection to the simulator.
final class ClientConnection {
    /// Nothing here takes a tenth of it; a test that would wait for ever fails instead.
    private static let timeout = timeval(tv_sec: 60, tv_usec: 0)

    private let socket: Int32
    private var parser: ResponseParser
    /// What was read, of which the bytes before `position` have been looked at.
    private var input: [UInt8] = []
    private var position = 0

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limits = WireLimits()
        limits.bodyBytes = 64 * 1024 * 1024
        parser = ResponseParser(limits: limits)
        var timeout = Self.timeout
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout.size(ofValue: timeout)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard result == 0 else { throw ClientError(description: "cannot connect: errno \(errno)") }
    }

    deinit {
        close(socket)
    }

    func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw ClientError(description: "cannot send: errno \(errno)")
        }
    }

    /// The next answer; fails where the connection ends before it does.
    func receive() throws -> HTTPClientResponse {
        while true {
            switch input.withUnsafeBytes({ parser.next($0, &position) }) {
            case .needsMore:
                input = try read()
                position = 0
                guard input.isEmpty else { continue }
                guard case .response(let response) = parser.finish() else {
                    throw ClientError(description: "the connection ended before the answer")
                }
                return response
            case .response(let response): return response
            case .refused(let refusal): throw refusal
            }
        }
    }

    /// All bytes until the server closes the connection.
    func receiveAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let input = try read()
            if input.isEmpty { return bytes }
            bytes += input
        }
    }

    private func read() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count >= 0 else { throw ClientError(description: "cannot receive: errno \(errno)") }
        return Array(buffer.prefix(count))
    }
}
