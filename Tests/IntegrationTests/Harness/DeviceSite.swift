import Glibc
import HTTPWire
import JSON

/// A broker whose routes have device gates, and a simulator whose devices they know.
struct DeviceSite {
    static let app = Demo.deviceApp

    let scratch: Scratch
    let simulator: SimulatorProcess
    let broker: BrokerProcess
    let settings: Settings

    /// - Parameters:
    ///   - options: of the one route, `app`, over the token `web`.
    ///   - devices: of the block `devices:`, beside the app and the root.
    ///   - prepare: Changes the settings before the broker starts.
    init(
        _ options: String = "devices: enforce",
        devices: String = "",
        _ prepare: (inout Settings, SimulatorProcess) throws -> Void = { _, _ in }
    ) throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        var settings = try Settings(scratch, simulator, options: Site.onDemand)
        settings.addStore()
        let rest = devices.isEmpty ? "" : ", \(devices)"
        settings.extra.append(
            "devices: { apps: [{ app_id: \(Self.app) }], root_ca_file: \(simulator.deviceRoot)\(rest) }"
        )
        settings.extra.append("routes:\n  app: { token: web, shape: ai-autocomplete, \(options) }")
        try prepare(&settings, simulator)
        self.settings = settings
        broker = try BrokerProcess(scratch, settings.text)
    }
}

/// An app on a simulated device, and the broker it is served by.
struct DeviceApp {
    let simulator: SimulatorProcess
    let broker: BrokerProcess
    var route = "app"

    /// A registered device.
    struct Device {
        let id: String
        let keyID: String
    }

    init(_ site: DeviceSite, on broker: BrokerProcess? = nil) {
        simulator = site.simulator
        self.broker = broker ?? site.broker
    }

    func challenge(_ headers: [(String, String)] = []) throws -> String {
        let answer = try post("attest/challenge", headers: headers)
        guard let challenge = answer.text("challenge") else { throw HarnessError("no challenge: \(answer.json)") }
        return challenge
    }

    /// Makes a key and sends its attestation.
    func register(_ members: JSONObject = [:]) throws -> (answer: Answer, keyID: String) {
        let challenge = try challenge()
        var wish = members
        wish["challenge"] = .string(challenge)
        let key = try simulator.device("attestation", .object(wish))
        guard var body = key.object, let keyID = body["key_id"]?.string else { throw HarnessError("no key") }
        body["challenge"] = .string(challenge)
        return (try post("attest/register", .object(body)), keyID)
    }

    func registered() throws -> Device {
        let (answer, keyID) = try register()
        guard answer.status == 200, let id = answer.text("device_id") else {
            throw HarnessError("not registered: \(answer.json)")
        }
        return Device(id: id, keyID: keyID)
    }

    /// A proof over a request, for a new challenge where none is given.
    func proof(
        _ device: Device,
        _ method: String = "GET",
        _ target: String? = nil,
        body: String = "",
        challenge: String? = nil,
        counter: Int64? = nil
    ) throws -> String {
        var members: JSONObject = [
            "key_id": .string(device.keyID), "device_id": .string(device.id), "route": .string(route),
            "challenge": .string(try challenge ?? self.challenge()), "method": .string(method),
            "target": .string(target ?? "/routes/\(route)"), "body": .string(body),
        ]
        members["counter"] = counter.map { .number(JSONNumber($0)) }
        guard let proof = try simulator.device("proof", .object(members))["proof"]?.string else {
            throw HarnessError("no proof")
        }
        return proof
    }

    /// Asks the route for a token.
    func get(_ proof: String?, query: String = "", headers: [(String, String)] = []) throws -> Answer {
        let fields = headers + (proof.map { [("X-Device-Proof", $0)] } ?? [])
        return try broker.connect().exchange(.get, "/routes/\(route)\(query)", headers: fields)
    }

    func post(
        _ path: String,
        _ body: JSONValue? = nil,
        headers: [(String, String)] = []
    ) throws -> Answer {
        try broker.connect().exchange(
            .post,
            "/routes/\(route)/\(path)",
            headers: headers,
            body: body?.serialized() ?? []
        )
    }
}
