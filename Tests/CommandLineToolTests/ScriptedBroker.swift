import Foundation
import Glibc
import Synchronization

/// A broker that answers one connection after the other with what it was given, and then is gone.
final class ScriptedBroker: Sendable {
    /// An answer's bytes, or nil for a connection that is closed without one.
    typealias Answer = String?

    let path: String
    private let directory: String
    private let received = Mutex<[String]>([])

    init(_ answers: [Answer]) {
        directory = ScriptedServer.makeDirectory()
        path = directory + "/broker.sock"
        let listener = ScriptedServer.listen(path)
        Thread { [self] in
            for answer in answers { serve(listener, answer) }
            close(listener)
        }.start()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The heads of the requests that came.
    var requests: [String] { received.withLock { $0 } }

    static func answer(_ status: Int, _ body: String = "") -> Answer {
        "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
    }

    static func token(_ generation: Int) -> Answer {
        answer(200, #"{"access_token":"at_v1_\#(generation)","generation":\#(generation)}"#)
    }

    private func serve(_ listener: Int32, _ answer: Answer) {
        let connection = ScriptedServer.accept(listener)
        defer { close(connection) }
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += buffer[..<count]
        }
        received.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
        if let answer { send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
    }
}
