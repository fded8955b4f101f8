import JSON
import Testing

@testable import CommandLineTool

/// What the commands make of their input; that devices are judged rightly is tested where the judging is.
@Suite("Checks of devices")
struct DeviceTests {
    private static let attestation: JSONObject = [
        "app_id": "TEAMID1234.com.example.app", "environment": "production",
        "key_id": "CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=", "challenge": "YQ==", "attestation": "oA==",
    ]

    private static let assertion: JSONObject = [
        "app_id": "TEAMID1234.com.example.app", "public_key": .string(String(repeating: "04", count: 65)),
        "previous_counter": 7, "client_data": "YQ==", "assertion": "oA==",
    ]

    private func report(_ words: String, _ input: [UInt8]) throws -> (
        verdict: JSONValue, status: CommandLineTool.ExitStatus
    ) {
        let surroundings = Surroundings(
            now: 1_780_272_000,
            readInput: { () throws(CommandFailure) in input }
        )
        guard case .report(let report) = Tool.outcome(["device", words], surroundings) else {
            throw CommandFailure(.usage, [])
        }
        return (try JSONValue(parsing: report.output), report.status)
    }

    private func reason(_ words: String, _ input: JSONObject) throws -> String? {
        let (verdict, status) = try report(words, JSONValue.object(input).serialized())
        #expect(verdict["verdict"] == "invalid")
        #expect(verdict["detail"]?.string?.isEmpty == false)
        #expect(status == .refusedByBroker)
        return verdict["reason"]?.string
    }

    private static let changes: [(name: String, value: JSONValue?, reason: String)] = [
        ("app_id", nil, "invalid_input"), ("app_id", 1, "invalid_input"),
        ("environment", nil, "invalid_input"), ("environment", "sandbox", "invalid_input"),
        ("key_id", nil, "invalid_input"), ("key_id", "*", "malformed_key_id"),
        ("challenge", nil, "invalid_input"), ("challenge", "*", "invalid_input"),
        ("client_data_hash", "YQ==", "invalid_input"),
        ("attestation", nil, "invalid_input"), ("attestation", "*", "malformed_attestation"),
        ("at", "today", "invalid_input"), ("at", 1_780_272_000, "invalid_input"), ("At", "x", "invalid_input"),
        ("at", "2026-06-01 00:00:00Z", "invalid_input"), ("at", "2026-06-01T00:00:00", "invalid_input"),
        ("at", "2026-06-01T00:00:00Z", "malformed_attestation"), ("key_id", "-_8=", "malformed_attestation"),
    ]

    @Test("say what is wrong with an attestation's input, and else with the attestation", arguments: changes)
    func attestationInput(name: String, value: JSONValue?, reason: String) throws {
        var input = Self.attestation
        #expect(try self.reason("verify-attestation", input) == "malformed_attestation")
        input[name] = value
        #expect(try self.reason("verify-attestation", input) == reason)
    }

    private static let assertionChanges: [(name: String, value: JSONValue?, reason: String)] = [
        ("app_id", nil, "invalid_input"), ("public_key", nil, "invalid_input"),
        ("public_key", "0x", "malformed_public_key"), ("previous_counter", nil, "invalid_input"),
        ("previous_counter", -1, "invalid_input"), ("previous_counter", 4_294_967_296, "invalid_input"),
        ("previous_counter", "7", "invalid_input"), ("client_data", nil, "invalid_input"),
        ("client_data", "*", "invalid_input"), ("assertion", nil, "invalid_input"),
        ("assertion", "*", "malformed_assertion"), ("challenge", "YQ==", "invalid_input"),
        ("previous_counter", 4_294_967_295, "malformed_assertion"),
    ]

    @Test("say what is wrong with an assertion's input, and else with the assertion", arguments: assertionChanges)
    func assertionInput(name: String, value: JSONValue?, reason: String) throws {
        var input = Self.assertion
        #expect(try self.reason("verify-assertion", input) == "malformed_assertion")
        input[name] = value
        #expect(try self.reason("verify-assertion", input) == reason)
    }

    @Test("take a client data hash in the challenge's place, and base64 of either alphabet")
    func otherForms() throws {
        var input = Self.attestation
        input["challenge"] = nil
        input["client_data_hash"] = "YQ"
        input["attestation"] = "oA"
        #expect(try reason("verify-attestation", input) == "malformed_attestation")
    }

    @Test("are of JSON objects", arguments: ["", "{", "[]", "null", #"{"app_id":"a","app_id":"a"}"#])
    func noObject(text: String) throws {
        for words in ["verify-attestation", "verify-assertion"] {
            let (verdict, status) = try report(words, Array(text.utf8))
            #expect(verdict["reason"] == "invalid_input")
            #expect(status == .refusedByBroker)
        }
    }
}
