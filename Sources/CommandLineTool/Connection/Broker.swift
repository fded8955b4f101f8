internal import HTTPWire
internal import JSON

/// The broker behind one of its sockets, as the commands see it: a JSON object, or a failure that says what to do.
struct Broker: Sendable {
    private let socket: BrokerSocket
    private let path: String
    private let patience: Duration

    init(_ socket: BrokerSocket, path: String, patience: Duration = BrokerClient.patience) {
        self.socket = socket
        self.path = path
        self.patience = patience
    }

    /// - Precondition: the table names a socket for the command.
    init(_ invocation: Invocation, _ surroundings: Surroundings) {
        guard let socket = invocation.command.socket else { preconditionFailure("an offline command asks the broker") }
        self.init(socket, path: socket.path(invocation, surroundings))
    }

    /// - Parameters:
    ///   - target: path and query, encoded.
    ///   - headers: made of checked names and values.
    func ask(
        _ target: String,
        _ method: HTTPMethod = .get,
        headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws(CommandFailure) -> JSONValue {
        let request = Self.request(method, target, headers, body)
        let response: HTTPClientResponse
        do throws(ConnectionFailure) {
            response = try BrokerClient(path: path, patience: patience).answer(to: request)
        } catch {
            throw error.commandFailure(socket, path: path)
        }
        return try Self.content(of: response, from: socket, path: path)
    }

    private static func request(
        _ method: HTTPMethod,
        _ target: String,
        _ headers: [(String, String)],
        _ body: [UInt8]
    ) -> HTTPClientRequest {
        do throws(WireEncodingError) {
            var fields: [HeaderField] = []
            for (name, value) in headers { fields.append(try HeaderField(name, value)) }
            return try HTTPClientRequest(method, target, headers: fields, body: body)
        } catch {
            preconditionFailure("a request is made of checked names and encoded values: \(error)")
        }
    }

    static func content(
        of response: HTTPClientResponse,
        from socket: BrokerSocket,
        path: String
    ) throws(CommandFailure) -> JSONValue {
        let body = try? JSONValue(parsing: response.body)
        if (200..<300).contains(response.status), let body, body.object != nil { return body }
        guard response.status >= 400, let problem = body.flatMap(Problem.init) else {
            let reason = "its answer of status \(response.status) is not a broker's"
            throw ConnectionFailure.unreadable(reason).commandFailure(socket, path: path)
        }
        guard response.status == 403, problem.code == "not_permitted" else {
            throw CommandFailure(.refusedByBroker, problem.lines, problem: problem)
        }
        let help = problem.isObservers ? [] : [ConnectionFailure.help(socket, path: path)]
        throw CommandFailure(.notPermitted, problem.lines + help, problem: problem)
    }
}
