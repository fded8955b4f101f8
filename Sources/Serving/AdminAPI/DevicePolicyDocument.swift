internal import HTTPWire
internal import JSON
internal import TokenBroker

/// The answer to `GET /v1/device-policy`, and to what changes it.
struct DevicePolicyDocument {
    let policy: DevicePolicyInForce
    let verdicts: DeviceVerdictCounters

    var response: HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [.jsonType, .noStore, .entityTag(policy.revision)],
            body: JSONValue.object(json).serialized()
        )
    }

    private var json: JSONObject {
        var json: JSONObject = [
            "revision": .number(JSONNumber(policy.revision)),
            "source": .string(policy.source.rawValue),
        ]
        json["problem"] = policy.problem.map(JSONValue.string)
        json["routes"] = object(policy.modes) { _, mode in .string(mode.rawValue) }
        json["apps"] = .array(policy.apps.map(\.json))
        json["effective"] = object(policy.routes) { _, route in
            [
                "mode": .string(route.mode.rawValue),
                "file": route.file.map { .string($0.rawValue) } ?? nil,
                "stored": route.stored.map { .string($0.rawValue) } ?? nil,
            ]
        }
        json["observed"] = object(policy.routes) { name, _ in
            var counts: JSONObject = [:]
            for (verdict, count) in verdicts.counts(of: name) {
                counts[verdict.rawValue] = .number(JSONNumber(Int64(clamping: count)))
            }
            return .object(counts)
        }
        return json
    }

    private func object<Value>(_ values: [Name: Value], _ json: (Name, Value) -> JSONValue) -> JSONValue {
        var object: JSONObject = [:]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { object[name.text] = json(name, value) }
        return .object(object)
    }
}

extension DeviceApp {
    fileprivate var json: JSONValue {
        [
            "app_id": .string(appID),
            "environments": .array(environments.map(\.rawValue).sorted().map(JSONValue.string)),
        ]
    }
}
