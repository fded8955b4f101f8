import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("Simulated devices", .blocking)
struct DeviceTests {
    private func order(_ client: Client, _ action: String, _ body: JSONValue) throws -> HTTPClientResponse {
        try client.send(.post, "/control/device/\(action)", body)
    }

    @Test("have a new key for each attestation, under a root of their own")
    func attestation() throws {
        try Client.run { (client) throws in
            let first = try order(client, "attestation", ["challenge": "AAAA"])
            #expect(first.status == 200)
            let second = try order(client, "attestation", ["challenge": "AAAA"])
            #expect(first.json["key_id"] != second.json["key_id"])
            #expect(try #require(first.json["attestation"]?.string).utf8.count > 1000)
        }
        let simulator = try Simulator()
        defer { simulator.stop() }
        #expect(simulator.deviceRootPEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(simulator.deviceRootPEM != simulator.authorityPEM)
    }

    @Test("sign a request in the form of its header")
    func proof() throws {
        try Client.run { (client) throws in
            let key = try #require(try order(client, "attestation", ["challenge": "AAAA"]).json["key_id"])
            var wish: JSONObject = [
                "key_id": key, "device_id": "dev_1", "challenge": "AAAA", "route": "app", "method": "GET",
                "target": "/routes/app",
            ]
            let proof = try #require(try order(client, "proof", .object(wish)).json["proof"]?.string)
            #expect(proof.hasPrefix("v1.dev_1.AAAA."))
            #expect(proof.split(separator: ".").count == 4)
            wish["counter"] = 7
            #expect(try order(client, "proof", .object(wish)).status == 200)
        }
    }

    @Test(
        "refuse an order that does not say what it has to",
        arguments: [
            ("attestation", [:]), ("attestation", ["challenge": "=="]),
            ("attestation", ["challenge": "AAAA", "x": "y"]),
            ("proof", [:]), ("proof", ["key_id": "AAAA"]), ("nothing", [:]),
        ] as [(String, JSONValue)]
    )
    func refused(_ action: String, _ body: JSONValue) throws {
        try Client.run { (client) throws in
            #expect(try order(client, action, body).status >= 400)
        }
    }
}
