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
        if let error = members["error"]?.string, provider.failure(named: error) == nil {
            throw ControlRefusal("\(provider.name) has no error of this name")
        }
        try behaviour.update(members)
    }

    func resetBehaviour() {
        behaviour.reset()
    }

    var report: JSONValue {
        var report = statistics.json
        for member in provider.report.members { report[member.name] = member.value }
        report["behaviour"] = .object(behaviour.json)
        return .object(report)
    }

    private func response(to request: HTTPRequest, path: String, _ behaviour: Behaviour) -> HTTPResponse {
        let wall = wallMilliseconds()
        let now = wall + (behaviour.clockSkewSeconds ?? 0) * 1000
        let requestID = provider.requestID(for: request)
        let request = ProviderRequest(
            http: request,
            path: path,
            requestID: requestID,
            behaviour: behaviour,
            nowMilliseconds: now
        )
        var response: HTTPResponse
        if let failure = behaviour.error.flatMap(provider.failure(named:)) {
            response = failure(request)
        } else if let status = behaviour.status.map(Int.init), !(200...299).contains(status) {
            response = provider.failure(status: status, request)
        } else {
            let answer = provider.answer(request)
            statistics.count(answer.outcome, path: path, atMilliseconds: wall)
            response = answer.response
        }
        response = behaviour.applied(to: response)
        response.headers.append(computed: "Date", CalendarText.http(unixMilliseconds: now))
        response.headers.append(computed: provider.requestIDField, requestID)
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
            headers.replace("Content-Type", with: contentType)
        }
        if let retryAfter { headers.replace("Retry-After", with: retryAfter) }
        if let location { headers.replace("Location", with: location) }
        return HTTPResponse(status: status.map(Int.init) ?? response.status, headers: headers, body: body)
    }
}

extension [HeaderField] {
    /// Takes the place of what the provider itself says.
    fileprivate mutating func replace(_ name: String, with value: String) {
        removeAll { $0.name == name }
        append(computed: name, value)
    }

    /// Adds a field whose value was made here, or was checked when the control API took it.
    fileprivate mutating func append(computed name: String, _ value: String) {
        guard let field = try? HeaderField(name, value) else { preconditionFailure("\(name) cannot be sent") }
        append(field)
    }
}
