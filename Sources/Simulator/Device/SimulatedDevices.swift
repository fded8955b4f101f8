internal import HTTPWire
internal import JSON

/// Devices with App Attest, as an app on them would see it. No provider, and nothing but the control API:
///
/// - `POST attestation` with `{"challenge": TEXT, "app_id": ID, "environment": "production"|"development"}`, of which the
///   last two may be left out: a new key, and its attestation for the challenge.
/// - `POST proof` with `{"key_id": ID, "device_id": ID, "challenge": TEXT, "route": NAME, "method": TEXT, "target": TEXT,
///   "body": TEXT, "counter": N}`, of which the last two may be left out: the value of `X-Device-Proof` for such a request.
///   The target is the path as the app has it, with its query.
final class SimulatedDevices: SimulatedProvider {
    let name = "device"
    private let maker: DeviceMaker
    /// By their ids in base64.
    private var keys: [String: DeviceKey] = [:]

    init(_ maker: DeviceMaker) {
        self.maker = maker
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        ProviderAnswer(.other, failure(status: 404, request))
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        .json(status, ["error": "devices have the control API alone"])
    }

    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        switch action {
        case "attestation": try attest(members)
        case "proof": try prove(members)
        default: nil
        }
    }

    private func attest(_ members: JSONObject) throws(ControlRefusal) -> JSONValue {
        try members.onlyHas(["challenge", "app_id", "environment"])
        var app = DeviceKey.App()
        if members["app_id"] != nil { app.id = try members.text("app_id") }
        if members["environment"] != nil { app.isProduction = try members.text("environment") == "production" }
        guard let challenge = Base64.urlDecoded(try members.text("challenge")) else {
            throw ControlRefusal("the challenge is base64url")
        }
        return try made { () throws(SimulatorError) in
            let key = try DeviceKey(of: app)
            let id = Base64.encoded(key.keyID)
            let attestation = try key.attestation(Digest.sha256(challenge), by: maker)
            keys[id] = key
            return ["key_id": .string(id), "attestation": .string(Base64.encoded(attestation))]
        }
    }

    private func prove(_ members: JSONObject) throws(ControlRefusal) -> JSONValue {
        try members.onlyHas(["key_id", "device_id", "challenge", "route", "method", "target", "body", "counter"])
        guard let key = keys[try members.text("key_id")] else { throw ControlRefusal("there is no such key") }
        let body = members["body"] == nil ? "" : try members.text("body")
        let counter = try members["counter"].map { (value) throws(ControlRefusal) in
            guard let number = value.number?.int64, let counter = UInt32(exactly: number) else {
                throw ControlRefusal("counter is a number below 2^32")
            }
            return counter
        }
        let challenge = try members.text("challenge")
        let lines = [
            "tokenbroker-request-v1", try members.text("route"), try members.text("method"), try members.text("target"),
            Base64.urlEncoded(Digest.sha256(Array(body.utf8))), challenge,
        ]
        let device = try members.text("device_id")
        return try made { () throws(SimulatorError) in
            let assertion = try key.assertion(Array(lines.joined(separator: "\n").utf8), counter: counter)
            return ["proof": .string("v1.\(device).\(challenge).\(Base64.urlEncoded(assertion))")]
        }
    }

    private func made(_ make: () throws(SimulatorError) -> JSONValue) throws(ControlRefusal) -> JSONValue {
        do throws(SimulatorError) {
            return try make()
        } catch {
            throw ControlRefusal("\(error)")
        }
    }
}

extension JSONObject {
    fileprivate func onlyHas(_ names: [String]) throws(ControlRefusal) {
        for member in members where !names.contains(member.name) {
            throw ControlRefusal("there is no member \(member.name), only \(names.joined(separator: ", "))")
        }
    }

    fileprivate func text(_ name: String) throws(ControlRefusal) -> String {
        guard let text = self[name]?.string else { throw ControlRefusal("\(name) is a text") }
        return text
    }
}
