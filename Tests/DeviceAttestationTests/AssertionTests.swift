import Digests
import Testing

@testable import DeviceAttestation

@Suite("Assertions")
struct AssertionTests {
    /// An assertion to be made, right in everything that a test does not change.
    struct Recipe {
        var appID = AttestationRecipe.appID
        var flags: UInt8 = 0x40
        var counter: UInt32 = 8
        var rest: [UInt8] = []
        var clientData = Array("what was signed".utf8)
        var key = AttestationRecipe.deviceKey
        /// ECDSA over the nonce; a single hash is what a reader of the specification does at first.
        var message: ([UInt8]) -> [UInt8] = { SHA256.digest(of: $0) }
        var authenticatorData: ([UInt8]) -> [UInt8] = { $0 }
        var signature: ([UInt8]) -> [UInt8] = { $0 }
        var object: ([UInt8]) -> [UInt8] = { $0 }

        func made() -> [UInt8] {
            let data = SHA256.digest(of: Array(appID.utf8)) + [flags] + CBORBytes.bigEndian(UInt64(counter), 4) + rest
            let signed = key.signature(for: message(data + SHA256.digest(of: clientData)))
            return object(
                CBORBytes.map(
                    CBORBytes.text("signature"),
                    CBORBytes.bytes(signature(signed)),
                    CBORBytes.text("authenticatorData"),
                    CBORBytes.bytes(authenticatorData(data))
                )
            )
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: DeviceRefusal.Code
        let change: @Sendable (inout Recipe) -> Void

        init(_ name: String, _ code: DeviceRefusal.Code, _ change: @escaping @Sendable (inout Recipe) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    static let faults = [
        Fault("no bytes", .malformedAssertion) { $0.object = { _ in [] } },
        Fault("an array", .malformedAssertion) { $0.object = { CBORBytes.array([$0]) } },
        Fault("bytes behind it", .malformedAssertion) { $0.object = { $0 + [0] } },
        Fault("no signature", .malformedAssertion) {
            $0.object = { _ in CBORBytes.map(CBORBytes.text("authenticatorData"), CBORBytes.bytes([])) }
        },
        Fault("no data", .malformedAssertion) {
            $0.object = { _ in CBORBytes.map(CBORBytes.text("signature"), CBORBytes.bytes([])) }
        },
        Fault("short data", .malformedAuthenticatorData) { $0.authenticatorData = { $0.dropLast() } },
        Fault("extensions that are no map", .malformedAuthenticatorData) { $0.rest = [0x80] },
        Fault("bytes behind the extensions", .malformedAuthenticatorData) { $0.rest = [0xA0, 0] },
        Fault("another app", .appIDMismatch) { $0.appID += "2" },
        Fault("the counter of the last one", .counterNotGreater) { $0.counter = 7 },
        Fault("an older counter", .counterNotGreater) { $0.counter = 0 },
        Fault("another key", .badSignature) { $0.key = TestKey() },
        Fault("other client data", .badSignature) { $0.clientData.append(0x0A) },
        Fault("flags that were changed", .badSignature) {
            $0.flags = 0
            $0.authenticatorData = { $0.prefix(32) + [0x40] + $0.dropFirst(33) }
        },
        Fault("extensions that were added", .badSignature) { $0.authenticatorData = { $0 + [0xA0] } },
        Fault("a nonce that is not hashed once more", .badSignature) { $0.message = { $0 } },
        Fault("no signature's bytes", .badSignature) { $0.signature = { _ in [] } },
        Fault("a signature and a byte", .badSignature) { $0.signature = { $0 + [0] } },
        Fault("a signature of zeros", .badSignature) { $0.signature = { _ in [0x30, 6, 2, 1, 0, 2, 1, 0] } },
        Fault("no key", .malformedPublicKey) { $0.counter = 9 },
    ]

    private func claim(publicKey: [UInt8] = AttestationRecipe.deviceKey.point) -> AssertionClaim {
        AssertionClaim(
            appID: AttestationRecipe.appID,
            publicKey: publicKey,
            previousCounter: 7,
            clientData: Array("what was signed".utf8)
        )
    }

    private func verify(
        _ assertion: [UInt8],
        _ claim: AssertionClaim
    ) -> Result<VerifiedAssertion, DeviceRefusal> {
        Result { () throws(DeviceRefusal) in try DeviceVerifier.verify(assertion: assertion, claim) }
    }

    private func code(_ assertion: [UInt8], _ claim: AssertionClaim) -> DeviceRefusal.Code? {
        if case .failure(let refusal) = verify(assertion, claim) { refusal.code } else { nil }
    }

    @Test("that are right give the counter")
    func accepted() throws {
        #expect(try verify(Recipe().made(), claim()).get().counter == 8)
        #expect(try verify(Recipe(counter: .max).made(), claim()).get().counter == .max)
    }

    @Test("with one thing wrong are refused for it", arguments: faults)
    func refused(fault: Fault) {
        var recipe = Recipe()
        fault.change(&recipe)
        let key = fault.code == .malformedPublicKey ? [] : AttestationRecipe.deviceKey.point
        #expect(code(recipe.made(), claim(publicKey: key)) == fault.code)
    }

    @Test("are refused with a key that is no point of the curve")
    func malformedKeys() {
        let point = AttestationRecipe.deviceKey.point
        var offCurve = point
        offCurve[64] ^= 1
        let keys: [[UInt8]] = [
            [], [0], point.dropLast(), point + [0], [3] + point[1...], [2] + point[1...32], offCurve,
        ]
        for key in keys {
            #expect(code(Recipe().made(), claim(publicKey: key)) == .malformedPublicKey)
        }
    }

    @Test("are accepted with the extension map, whether the flag says so or not", arguments: [0x40, 0xC0] as [UInt8])
    func extensions(flags: UInt8) throws {
        let map = CBORBytes.map(
            CBORBytes.text("validationCategory"),
            CBORBytes.bytes([2, 0, 0, 0]),
            CBORBytes.text("bundleVersion"),
            CBORBytes.text("3")
        )
        let verified = try verify(Recipe(flags: flags, rest: map).made(), claim()).get()
        #expect(verified.extensions.validationCategory == 2)
        #expect(verified.extensions.bundleVersion == "3")
    }

    @Test("cut short anywhere are refused")
    func truncated() {
        let assertion = Recipe().made()
        for count in assertion.indices {
            #expect(code(Array(assertion.prefix(count)), claim()) == .malformedAssertion)
        }
    }

    /// One bit of each byte, another one each time: all of them at once take too long.
    @Test("are refused with any bit turned")
    func turnedBits() throws {
        let assertion = Recipe().made()
        let object = try AssertionObject(parsing: assertion)
        for part in [object.signature, object.authenticatorData] {
            let start = try #require(assertion.firstRange(of: part)).lowerBound
            for index in start..<(start + part.count) {
                var changed = assertion
                changed[index] ^= 1 << UInt8.random(in: 0..<8)
                #expect(code(changed, claim()) != nil, "byte \(index): \(changed[index])")
            }
        }
    }
}
