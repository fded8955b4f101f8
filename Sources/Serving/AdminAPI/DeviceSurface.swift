internal import HTTPWire
internal import JSON
internal import TokenBroker

/// `/v1/devices`: what operators see of the registered devices, and how they revoke one.
struct DeviceSurface {
    let gate: DeviceGate

    /// The store writes a revocation before it is answered.
    private static let patience: Duration = .seconds(10)

    func list(_ request: HTTPRequest, _ completion: Completion) -> Outcome {
        guard let query = QueryItems(parsing: request.query ?? []) else {
            return .respond(Problem.invalidRequest("the query is not well-formed").response)
        }
        gate.list(after: query.values("after").first.map { DeviceID($0) }) { completion(.devices($0)) }
        return .wait(
            Waiting(
                patience: Self.patience,
                onResolution: {
                    guard case .devices(let page) = $0 else { preconditionFailure("not a list of devices") }
                    return .respond(HTTPResponse(json: Self.document(page)))
                },
                onDeadline: Waiting.late("the list is not ready yet; ask again"),
                onAbandoned: {}
            )
        )
    }

    func revoke(_ id: DeviceID, _ peer: Peer, _ completion: Completion) -> Outcome {
        gate.revoke(id, by: AuditEvent.Actor(operator: peer)) { completion(.revocation($0)) }
        return .wait(
            Waiting(
                patience: Self.patience,
                onResolution: {
                    guard case .revocation(let revocation) = $0 else { preconditionFailure("not a revocation") }
                    switch revocation {
                    case .unknown: return .respond(Problem.unknownDevice.response)
                    case .revoked(let isKept): return .respond(Self.revoked(id, isKept: isKept))
                    }
                },
                onDeadline: { _ in .respond(Self.revoked(id, isKept: false)) },
                onAbandoned: {}
            )
        )
    }

    /// - Parameter isKept: whether it outlives the process already.
    private static func revoked(_ id: DeviceID, isKept: Bool) -> HTTPResponse {
        HTTPResponse(json: ["device_id": .string(id.text), "revoked": true, "stored": .bool(isKept)])
    }

    private static func document(_ page: DeviceGate.Page) -> JSONValue {
        var document: JSONObject = ["devices": .array(page.devices.map(\.json))]
        // What the next question has as `after`.
        document["next"] = page.hasMore ? page.devices.last.map { .string($0.id.text) } : nil
        return .object(document)
    }
}

extension Device {
    fileprivate var json: JSONValue {
        [
            "device_id": .string(id.text),
            "app_id": .string(key.appID),
            "environment": .string(key.environment.rawValue),
            "counter": .number(JSONNumber(Int64(counter))),
            "registered_at": .number(JSONNumber(registeredAt.unixSeconds)),
            "last_seen_at": .number(JSONNumber(lastSeenAt.unixSeconds)),
        ]
    }
}
