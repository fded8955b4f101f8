import HTTPWire
import JSON
import Testing

/// What a client of any provider and a writer of tests do.
extension Client {
    func exchange(
        _ method: HTTPMethod,
        _ path: String,
        _ headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> HTTPClientResponse {
        let connection = try ClientConnection(port: port)
        try connection.send(request(method, path, headers, body: body))
        return try connection.receive()
    }

    func request(
        _ method: HTTPMethod,
        _ path: String,
        _ headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> [UInt8] {
        let fields = try headers.map { try HeaderField($0.0, $0.1) }
        return try HTTPClientRequest(method, path, headers: fields, body: body).encoded()
    }

    /// Changes how a provider answers.
    func behave(_ provider: String, _ members: JSONValue) throws {
        #expect(try send(.put, "/control/\(provider)/behaviour", members).status == 200)
    }

    func report(_ provider: String) throws -> JSONValue {
        try send(.get, "/control/\(provider)").json
    }

    func count(_ name: String, _ provider: String) throws -> Int64? {
        try report(provider)[name]?.number?.int64
    }
}
