import HTTPWire
import JSON

/// All of the providers that are played.
extension SimulatorProcess {
    /// The address of one, without a slash at the end.
    func address(of provider: String) -> String { "http://127.0.0.1:\(httpPort)/\(provider)" }

    /// Changes how a provider answers, from its usual way.
    func behave(_ provider: String, _ behaviour: JSONValue) throws {
        try control(.delete, provider, "/behaviour")
        try control(.put, provider, "/behaviour", behaviour)
    }

    func behaveNormally(_ provider: String) throws {
        try control(.delete, provider, "/behaviour")
    }

    /// Has a simulated device do something.
    func device(_ action: String, _ body: JSONValue) throws -> JSONValue {
        try control(.post, "device", "/" + action, body).json
    }

    /// Does what a provider has of its own on the control API.
    func order(_ provider: String, _ action: String, _ body: JSONValue) throws {
        try control(.post, provider, "/" + action, body)
    }

    /// Counts of a provider's: `requests`, `mints`, `refused`.
    func count(_ name: String, of provider: String) throws -> Int64 {
        guard let count = try control(.get, provider).integer(name) else { throw HarnessError("no count of \(name)") }
        return count
    }

    /// When a provider minted last, in Unix milliseconds.
    func lastMint(of provider: String) throws -> Int64 {
        guard let last = try control(.get, provider).json["minted_at_ms"]?.array?.last?.number?.int64 else {
            throw HarnessError("\(provider) has not minted")
        }
        return last
    }

    @discardableResult
    private func control(
        _ method: HTTPMethod,
        _ provider: String,
        _ path: String = "",
        _ body: JSONValue? = nil
    ) throws -> Answer {
        let target = "/control/\(provider)\(path)"
        let answer = try Connection(port: httpPort).exchange(method, target, body: body?.serialized() ?? [])
        guard answer.status == 200 else { throw HarnessError("control of \(provider): \(answer.json)") }
        return answer
    }

    /// What a provider says to a request of an app's.
    ///
    /// - Parameter target: below the provider's prefix.
    func ask(
        _ provider: String,
        _ method: HTTPMethod,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> Answer {
        try Connection(port: httpPort).exchange(method, "/\(provider)\(target)", headers: headers, body: body)
    }
}
