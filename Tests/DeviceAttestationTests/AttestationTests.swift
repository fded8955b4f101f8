import COpenSSL
import Digests
import Testing
import TokenBroker

@testable import DeviceAttestation

@Suite("Attestations")
struct AttestationTests {
    private func verify(
        _ attestation: [UInt8],
        _ claim: AttestationClaim = AttestationRecipe.claim,
        at instant: WallInstant = AttestationRecipe.instant
    ) -> Result<AttestedDevice, DeviceRefusal> {
        Result { () throws(DeviceRefusal) in
            try AttestationRecipe.verifier.verify(attestation: attestation, claim, at: instant)
        }
    }

    private func code(_ result: Result<AttestedDevice, DeviceRefusal>) -> DeviceRefusal.Code? {
        if case .failure(let refusal) = result { refusal.code } else { nil }
    }

    private func made(_ change: (inout AttestationRecipe) -> Void) -> [UInt8] {
        var recipe = AttestationRecipe()
        change(&recipe)
        return recipe.made()
    }

    @Test("that are right give the device's key")
    func accepted() throws {
        let device = try verify(AttestationRecipe().made()).get()
        #expect(device.appID == AttestationRecipe.appID)
        #expect(device.environment == .production)
        #expect(device.publicKey == AttestationRecipe.deviceKey.point)
        #expect(device.keyID == SHA256.digest(of: device.publicKey))
        #expect(device.receipt == [1, 2, 3])
        #expect(device.extensions == DeviceExtensions())
    }

    @Test("with one thing wrong are refused for it", arguments: AttestationFault.all)
    func refused(fault: AttestationFault) {
        var recipe = AttestationRecipe()
        fault.change(&recipe)
        #expect(code(verify(recipe.made())) == fault.code)
    }

    private struct OtherClaim {
        var apps = AttestationRecipe.claim.apps
        var keyID = AttestationRecipe.claim.keyID
        var challenge = AttestationRecipe.challenge

        var claim: AttestationClaim { AttestationClaim(apps: apps, keyID: keyID, challenge: challenge) }
    }

    @Test("are refused to whoever expects something else")
    func otherClaims() {
        let attestation = AttestationRecipe().made()
        func code(_ change: (inout OtherClaim) -> Void) -> DeviceRefusal.Code? {
            var other = OtherClaim()
            change(&other)
            return self.code(verify(attestation, other.claim))
        }
        let appID = AttestationRecipe.appID
        #expect(code { $0.apps = [] } == .appIDMismatch)
        #expect(code { $0.apps = [DeviceApp(appID: appID + "2")] } == .appIDMismatch)
        #expect(code { $0.apps = [DeviceApp(appID: appID, environments: [.development])] } == .environmentMismatch)
        #expect(code { $0.apps = [DeviceApp(appID: appID, environments: [])] } == .environmentMismatch)
        #expect(code { $0.keyID.removeLast() } == .malformedKeyID)
        #expect(code { $0.keyID.append(0) } == .malformedKeyID)
        #expect(code { $0.keyID[0] ^= 1 } == .credentialIDMismatch)
        #expect(code { $0.challenge.append(0) } == .nonceMismatch)
        #expect(code { $0.challenge = [] } == .nonceMismatch)
        #expect(code { _ in } == nil)
    }

    @Test("of a key id that is not the key's hash are refused, whoever agrees on it")
    func foreignKeyID() {
        let keyID = [UInt8](repeating: 9, count: 32)
        let attestation = made {
            $0.credentialID = keyID
            $0.leaf.commonNames = [Hexadecimal.text(keyID)]
        }
        let claim = AttestationClaim(
            apps: AttestationRecipe.claim.apps,
            keyID: keyID,
            challenge: AttestationRecipe.challenge
        )
        #expect(code(verify(attestation, claim)) == .keyIDMismatch)
    }

    @Test("are accepted of the second app of a list, in its own environment")
    func secondApp() throws {
        let apps = [
            DeviceApp(appID: "TEAMID1234.com.example.other"),
            DeviceApp(appID: AttestationRecipe.appID, environments: [.development]),
        ]
        let keyID = AttestationRecipe.claim.keyID
        let claim = AttestationClaim(apps: apps, keyID: keyID, challenge: AttestationRecipe.challenge)
        let device = try verify(made { $0.aaguid = AttestEnvironment.development.aaguid }, claim).get()
        #expect(device.environment == .development)
        #expect(device.appID == AttestationRecipe.appID)
    }

    @Test("are accepted with the extension map, whether the flag says so or not", arguments: [0x40, 0xC0] as [UInt8])
    func extensions(flags: UInt8) throws {
        let device = try verify(
            made {
                $0.flags = flags
                $0.rest = CBORBytes.map(
                    CBORBytes.text("apple_bundle_version_01"),
                    CBORBytes.text("7"),
                    CBORBytes.text("apple_validation_category_01"),
                    CBORBytes.bytes([4, 0, 0, 0]),
                    CBORBytes.text("apple_of_tomorrow_01"),
                    CBORBytes.bytes([])
                )
            }
        ).get()
        #expect(device.extensions.bundleVersion == "7")
        #expect(device.extensions.validationCategory == 4)
    }

    @Test("are read with the short names of the extensions")
    func shortNames() throws {
        let map = CBORBytes.map(
            CBORBytes.text("bundleVersion"),
            CBORBytes.text("1.2"),
            CBORBytes.text("validationCategory"),
            CBORBytes.number(2)
        )
        let device = try verify(made { $0.rest = map }).get()
        #expect(device.extensions.bundleVersion == "1.2")
        #expect(device.extensions.validationCategory == 2)
    }

    @Test("are checked against a raw hash of any length", arguments: [0, 5, 32, 100])
    func rawHash(length: Int) throws {
        let hash = [UInt8](repeating: 5, count: length)
        let claim = AttestationClaim(
            apps: AttestationRecipe.claim.apps,
            keyID: AttestationRecipe.claim.keyID,
            rawClientDataHash: hash
        )
        #expect(code(verify(AttestationRecipe().made(), claim)) == .nonceMismatch)
        let recipe = AttestationRecipe(clientDataHash: hash)
        #expect(throws: Never.self) { try verify(recipe.made(), claim).get() }
    }

    @Test("are in force from their first second to their last")
    func validity() {
        let attestation = AttestationRecipe().made()
        func code(_ seconds: Int) -> DeviceRefusal.Code? {
            let instant = WallInstant(milliseconds: Int64(AttestationRecipe.now + seconds) * 1000)
            return self.code(verify(attestation, at: instant))
        }
        #expect(code(-86401) == .certificateNotYetValid)
        #expect(code(-86400) == nil)
        #expect(code(86399) == nil)
        #expect(code(86401) == .certificateExpired)
    }

    @Test("are refused before anything is computed where a look is enough")
    func refusedEarly() {
        let wrong = made {
            $0.leafSigner = TestKey()
            $0.counter = 1
            $0.nonceValues = { _ in [] }
        }
        #expect(code(verify(wrong)) == .counterNotZero)
        let certificates = made {
            $0.certificates = { [[0x30], $0[1]] }
            $0.appID = "TEAMID1234.com.example.other"
        }
        #expect(code(verify(certificates)) == .appIDMismatch)
    }

    @Test("cut short anywhere are refused")
    func truncated() {
        let attestation = AttestationRecipe().made()
        for count in attestation.indices {
            #expect(code(verify(Array(attestation.prefix(count)))) == .malformedAttestation)
        }
        #expect(code(verify(attestation + [0])) == .malformedAttestation)
    }

    /// One bit of each byte, another one each time: all of them at once take too long.
    @Test("are refused with any bit of the signed parts turned")
    func turnedBits() throws {
        let attestation = AttestationRecipe().made()
        let object = try AttestationObject(parsing: attestation)
        for part in [object.leaf, object.intermediate, object.authenticatorData] {
            let start = try #require(attestation.firstRange(of: part)).lowerBound
            for index in start..<(start + part.count) {
                var changed = attestation
                changed[index] ^= 1 << UInt8.random(in: 0..<8)
                #expect(code(verify(changed)) != nil, "byte \(index): \(changed[index])")
            }
        }
    }

    @Test("leave nothing in OpenSSL's queue of errors")
    func errorQueue() {
        ERR_clear_error()
        _ = verify(made { $0.certificates = { [[0x30, 0x00], $0[1]] } })
        _ = verify(made { $0.leafSigner = TestKey() })
        #expect(ERR_peek_error() == 0)
    }

    @Test("have a fault in the tests for every reason that there is")
    func everyCode() {
        let codes = Set(AttestationFault.all.map(\.code)).union(AssertionTests.faults.map(\.code))
        // Those two are of claims, not of attestations.
        let others: Set<DeviceRefusal.Code> = [.keyIDMismatch, .malformedKeyID]
        #expect(codes.union(others) == Set(DeviceRefusal.Code.allCases))
    }
}
