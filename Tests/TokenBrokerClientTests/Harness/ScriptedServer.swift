import Foundation
import Glibc

/// A server on a Unix socket whose connections a test has in its hands, each on a thread of its own.
final class ScriptedServer: Sendable {
    let path: String
    private let directory: String
    private let listener: ServerListener

    /// - Parameter serve: what is done with a connection, of which the first has number 0. It is closed afterwards.
    init(_ serve: @escaping @Sendable (_ number: Int, ServerConnection) -> Void) {
        directory = Self.makeDirectory()
        path = directory + "/broker.sock"
        let listener = ServerListener(path)
        self.listener = listener
        Thread {
            var number = 0
            while let connection = listener.accept() {
                let thisNumber = number
                Thread { serve(thisNumber, connection) }.start()
                number += 1
            }
        }.start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Takes no more connections.
    func stop() {
        listener.stop()
    }

    static func answer(_ body: String, status: Int = 200, fields: String = "") -> String {
        "HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func makeDirectory() -> String {
        let template = strdup("/tmp/tokenbroker-tests-XXXXXX")
        defer { free(template) }
        guard let template, let made = mkdtemp(template) else { preconditionFailure("cannot make a directory") }
        return String(cString: made)
    }
}

/// A listening socket; closed with its last reference, so that its number is nobody else's while a thread uses it.
private final class ServerListener: Sendable {
    private let descriptor: Int32

    init(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(status == 0 && listen(descriptor, 256) == 0, "cannot listen")
    }

    deinit {
        close(descriptor)
    }

    /// - Returns: nil after ``stop()``.
    func accept() -> ServerConnection? {
        let accepted = Glibc.accept(descriptor, nil, nil)
        return accepted >= 0 ? ServerConnection(accepted) : nil
    }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// One connection of a ``ScriptedServer``; closed with its last reference.
final class ServerConnection: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Reads one request, which has no more than 4 KB and comes alone.
    ///
    /// - Returns: nil when the client has closed.
    func receive() -> String? {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        repeat {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            request += buffer[..<count]
        } while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n")
        return String(decoding: request, as: UTF8.self)
    }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Answers every request with what it asked for: its target.
    func echo() {
        while let request = receive() {
            send(ScriptedServer.answer(String(request.split(separator: " ")[1])))
        }
    }
}
