import Glibc
import HTTPWire

/// A client that runs as somebody else.
struct Curl {
    /// Only root can become other users.
    static var isPossible: Bool { geteuid() == 0 && access(path, X_OK) == 0 }
    static let reason = "becoming other users takes root and curl"

    private static let path = "/usr/bin/curl"
    /// curl's own statuses.
    static let couldNotConnect: Int32 = 7

    let socket: String
    let identity: Identity

    /// - Returns: Curl's exit status and what it printed.
    func run(_ arguments: [String], _ target: String) throws -> (ending: Int32, output: String) {
        let options = ["--silent", "--max-time", "60", "--unix-socket", socket, "http://localhost\(target)"]
        let process = try RunningProcess(Self.path, options + arguments, as: identity)
        let ending = try process.waitForEnd()
        return (ending, process.output.text)
    }

    func send(_ method: HTTPMethod = .get, _ target: String) throws -> Answer {
        let (ending, output) = try run(["--include", "--request", method.name], target)
        guard ending == 0 else { throw HarnessError("curl ended with \(ending)") }
        var parser = ResponseParser()
        var position = 0
        guard case .response(let answer) = Array(output.utf8).withUnsafeBytes({ parser.next($0, &position) }) else {
            throw HarnessError("not an answer: \(output)")
        }
        return answer
    }
}

extension BrokerProcess {
    func apps(as identity: Identity) -> Curl { Curl(socket: appsSocket, identity: identity) }
    func admin(as identity: Identity) -> Curl { Curl(socket: adminSocket, identity: identity) }
}
