import Foundation
import Glibc
import Synchronization

/// A broker of one answer: it accepts one connection, reads a request's head, sends the pieces it was given and closes.
final class ScriptedServer: Sendable {
    let path: String
    private let directory: String
    private let listener: Int32
    private let received = Mutex<[UInt8]>([])
    private let finished = DispatchSemaphore(value: 0)

    /// - Parameter pieces: each is sent by itself; none closes without an answer, nil never answers.
    init(_ pieces: [String]?) {
        directory = Self.makeDirectory()
        path = directory + "/broker.sock"
        listener = Self.listen(path)
        let thread = Thread { [self] in
            serve(pieces)
            finished.signal()
        }
        thread.start()
    }

    /// An answer with a JSON body.
    convenience init(status: Int = 200, _ body: String) {
        self.init(["HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n", body])
    }

    deinit {
        close(listener)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The request's bytes, once the exchange is over.
    var request: String {
        finished.wait()
        finished.signal()
        return received.withLock { String(decoding: $0, as: UTF8.self) }
    }

    static func makeDirectory() -> String {
        let template = strdup("/tmp/tokenbroker-tests-XXXXXX")
        defer { free(template) }
        guard let template, let made = mkdtemp(template) else { preconditionFailure("cannot make a directory") }
        return String(cString: made)
    }

    /// The next connection; a child of another test must not keep it open.
    static func accept(_ listener: Int32) -> Int32 {
        let connection = Glibc.accept(listener, nil, nil)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
    }

    private func serve(_ pieces: [String]?) {
        let connection = Self.accept(listener)
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !received.withLock({ String(decoding: $0, as: UTF8.self).contains("\r\n\r\n") }) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received.withLock { $0 += buffer[..<count] }
        }
        guard let pieces else {
            _ = recv(connection, &buffer, buffer.count, 0)
            return
        }
        for piece in pieces { send(connection, piece, piece.utf8.count, Int32(MSG_NOSIGNAL)) }
    }

    static func listen(_ path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(status == 0 && Glibc.listen(descriptor, 4) == 0, "cannot listen")
        return descriptor
    }
}
