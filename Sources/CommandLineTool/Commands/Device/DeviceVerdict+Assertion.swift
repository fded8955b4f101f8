internal import DeviceAttestation
internal import Digests
internal import JSON

extension DeviceVerdict {
    /// Checks the assertion that the input describes.
    init(assertion input: [UInt8]) {
        do throws(DeviceVerdict) {
            self = try Self.check(assertion: input)
        } catch {
            self = error
        }
    }

    private static let names: Set<String> = ["app_id", "public_key", "previous_counter", "client_data", "assertion"]

    private static func check(assertion bytes: [UInt8]) throws(DeviceVerdict) -> DeviceVerdict {
        let input = try DeviceInput(bytes, names: names)
        guard let counter = input["previous_counter"]?.number?.int64.flatMap({ UInt32(exactly: $0) }) else {
            throw .unreadable("'previous_counter' is no whole number from 0 to \(UInt32.max)")
        }
        guard let publicKey = Hexadecimal.bytes(try input.text("public_key")) else {
            throw DeviceVerdict(
                invalid: DeviceRefusal.Code.malformedPublicKey.rawValue,
                "'public_key' is not hexadecimal"
            )
        }
        let claim = AssertionClaim(
            appID: try input.text("app_id"),
            publicKey: publicKey,
            previousCounter: counter,
            clientData: try input.bytes("client_data")
        )
        let assertion = try input.bytes("assertion", orElse: DeviceRefusal.Code.malformedAssertion.rawValue)
        do throws(DeviceRefusal) {
            return DeviceVerdict(try DeviceVerifier.verify(assertion: assertion, claim))
        } catch {
            return DeviceVerdict(error)
        }
    }

    private init(_ verified: VerifiedAssertion) {
        var facts: JSONObject = ["counter": .number(JSONNumber(Int64(verified.counter)))]
        facts.add(verified.extensions)
        self.init(valid: facts)
    }
}
