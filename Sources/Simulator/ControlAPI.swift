internal import HTTPWire
internal import JSON

/// The paths below `/control`, by which a test or a developer steers the simulator.
///
/// | request | does |
/// |---|---|
/// | `GET /control/healthz` | 200 while the simulator serves |
/// | `GET /control/PROVIDER` | counts, the last request (header names only), the instants of the mints, the behaviour |
/// | `GET /control/PROVIDER/behaviour` | the behaviour towards the next request |
/// | `PUT /control/PROVIDER/behaviour` | changes the members that the body names (see ``Knob/all``); null makes one normal; `times` limits the result to the next N requests |
/// | `DELETE /control/PROVIDER/behaviour` | makes the provider normal again |
/// | `POST /control/PROVIDER/ACTION` | what the provider has of its own |
///
/// A body is a JSON object. What is misspelt is refused with 400 and changes nothing: a fault that silently did not
/// happen would make a test pass.
struct ControlAPI {
    private let hosts: [ProviderHost]

    init(_ hosts: [ProviderHost]) {
        self.hosts = hosts
    }

    /// - Parameter path: Below `/control`.
    func response(to request: HTTPRequest, path: String) -> HTTPResponse {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        if parts == ["healthz"] { return .json(200, ["status": "ok"]) }
        guard let host = hosts.first(where: { $0.provider.name == parts.first }) else {
            return .json(404, ["error": "no such provider"])
        }
        do throws(ControlRefusal) {
            guard let body = try body(request.method, host, Array(parts.dropFirst()), request) else {
                return .json(404, ["error": "no such path, or not with this method"])
            }
            return .json(200, body)
        } catch {
            return .json(400, ["error": .string(error.message)])
        }
    }

    private func body(
        _ method: HTTPMethod,
        _ host: ProviderHost,
        _ parts: [String],
        _ request: HTTPRequest
    ) throws(ControlRefusal) -> JSONValue? {
        switch (method, parts) {
        case (.get, []): return host.report
        case (.get, ["behaviour"]): break
        case (.put, ["behaviour"]): try host.updateBehaviour(members(request))
        case (.delete, ["behaviour"]): host.resetBehaviour()
        case (.post, _) where parts.count == 1: return try host.provider.control(parts[0], members(request))
        default: return nil
        }
        return .object(host.behaviour.json)
    }

    private func members(_ request: HTTPRequest) throws(ControlRefusal) -> JSONObject {
        if request.body.isEmpty { return JSONObject() }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: request.body)
        } catch {
            throw ControlRefusal("\(error)")
        }
        guard let members = document.object else { throw ControlRefusal("the body must be a JSON object") }
        return members
    }
}
