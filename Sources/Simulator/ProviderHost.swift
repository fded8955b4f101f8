internal import HTTPWire
internal import JSON

/// A provider with its faults and its counts. On the loop's thread only.
final class ProviderHost {
    let provider: any SimulatedProvider
    private let wallMilliseconds: () -> Int64
    private(set) var behaviour = BehaviourSchedule()
    private var statistics = Statistics()

    init(_ provider: any SimulatedProvider, wallMilliseconds: @escaping () -> Int64) {
        self.provider = provider
        self.wallMilliseconds = wallMilliseconds
    }

    /// - Parameter path: Below the provider's prefix.
    func exchange(for request: HTTPRequest, path: String) -> Exchange {
        let behaviour = behaviour.next(path: path)
        statistics.began(request, path: path, atMilliseconds: wallMilliseconds())
        return Exchange(
            request,
            handling: Exchange.Handling(
                delay: .milliseconds(behaviour.delayMilliseconds ?? 0),
                hangs: behaviour.hang ?? false,
                closeAfterBytes: behaviour.closeAfterBytes.map(Int.init)
            ),
            respond: { [self] in response(to: request, path: path, behaviour) },
            onEnd: { [self] in statistics.ended() }
        )
    }

    func updateBehaviour(_ members: JSONObject) throws(ControlRefusal) {
        try behaviour.update(members)
    }

    func resetBehaviour() {
        behaviour.reset()
    }

    var report: JSONValue {
        var report = statistics.json
        report["behaviour"] = .object(behaviour.json)
        return .object(report)
    }

    private func response(to request: HTTPRequest, path: String, _ behaviour: Behaviour) -> HTTPResponse {
        let wall = wallMilliseconds()
        let now = wall + (behaviour.clockSkewSeconds ?? 0) * 1000
        var response: HTTPResponse
        if let status = behaviour.status.map(Int.init), !(200...299).contains(status) {
            response = .json(status, provider.failureBody(status: status))
        } else {
            let answer = provider.answer(
                ProviderRequest(http: request, path: path, behaviour: behaviour, nowMilliseconds: now)
            )
            statistics.count(answer.outcome, atMilliseconds: wall)
            response = answer.response
        }
        response = behaviour.applied(to: response)
        response.headers.append(computed: "Date", CalendarText.http(unixMilliseconds: now))
        response.headers.append(computed: "X-Request-Id", "req_" + RandomText.hexadecimal(bytes: 12))
        return response
    }
}

extension Behaviour {
    /// The answer with its status, body and header fields as asked for.
    fileprivate func applied(to response: HTTPResponse) -> HTTPResponse {
        var body = self.body.map { Array($0.utf8) } ?? response.body
        if let bodyForm {
            body = bodyForm.applied(
                to: body,
                oversizedBytes: oversizedBytes.map(Int.init) ?? BodyForm.defaultOversizedBytes
            )
        }
        var headers = response.headers
        if let contentType = contentType ?? (bodyForm == .html ? "text/html" : nil) {
            headers.removeAll { $0.name == HeaderField.json.name }
            headers.append(computed: "Content-Type", contentType)
        }
        if let retryAfter { headers.append(computed: "Retry-After", retryAfter) }
        if let location { headers.append(computed: "Location", location) }
        return HTTPResponse(status: status.map(Int.init) ?? response.status, headers: headers, body: body)
    }
}

extension [HeaderField] {
    /// Adds a field whose value was made here, or was checked when the control API took it.
    fileprivate mutating func append(computed name: String, _ value: String) {
        guard let field = try? HeaderField(name, value) else { preconditionFailure("\(name) cannot be sent") }
        append(field)
    }
}
