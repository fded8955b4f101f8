import Digests
import Foundation
import JSON
import Testing
import TokenBroker

@testable import DeviceAttestation

/// What real devices sent, from a folder that is not part of this repository.
///
/// `APP_ATTEST_VECTORS` names the folder; its files are JSON, one a device.
@Suite("Real devices", .enabled(if: RealDevice.folder != nil, "APP_ATTEST_VECTORS names no folder"))
struct RealDeviceTests {
    private let verifier = DeviceVerifier()

    @Test("are in the folder")
    func present() {
        #expect(!RealDevice.withAttestation.isEmpty)
        #expect(RealDevice.all.contains { !$0.assertions.isEmpty })
    }

    @Test("have attestations that Apple's root stands behind", arguments: RealDevice.withAttestation)
    func attestations(device: RealDevice) throws {
        let attested = try verifier.verify(attestation: device.attestation, device.claim, at: device.verifyAt)
        #expect(attested.publicKey == device.publicKey)
        #expect(attested.environment == device.environment)
    }

    @Test("are refused long before and after", arguments: RealDevice.withAttestation)
    func otherTimes(device: RealDevice) throws {
        let refusals: [(Duration, DeviceRefusal.Code)] = [
            (.seconds(-400 * 86400), .certificateNotYetValid), (.seconds(400 * 86400), .certificateExpired),
        ]
        for (distance, code) in refusals {
            let refusal = #expect(throws: DeviceRefusal.self) {
                try verifier.verify(
                    attestation: device.attestation,
                    device.claim,
                    at: device.verifyAt.advanced(by: distance)
                )
            }
            #expect(refusal?.code == code)
        }
    }

    @Test("are refused by another root", arguments: RealDevice.withAttestation)
    func otherRoot(device: RealDevice) throws {
        let refusal = #expect(throws: DeviceRefusal.self) {
            try AttestationRecipe.verifier.verify(attestation: device.attestation, device.claim, at: device.verifyAt)
        }
        #expect(refusal?.code == .untrustedChain)
    }

    @Test("have assertions that their keys made, and that count once", arguments: RealDevice.all)
    func assertions(device: RealDevice) throws {
        for (assertion, claim) in device.assertions {
            let verified = try DeviceVerifier.verify(assertion: assertion, claim)
            #expect(verified.counter > claim.previousCounter)
            let again = AssertionClaim(
                appID: claim.appID,
                publicKey: claim.publicKey,
                previousCounter: verified.counter,
                clientData: claim.clientData
            )
            let refusal = #expect(throws: DeviceRefusal.self) {
                try DeviceVerifier.verify(assertion: assertion, again)
            }
            #expect(refusal?.code == .counterNotGreater)
        }
    }
}

/// One file of the folder.
struct RealDevice: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let document: JSONValue

    static let folder = ProcessInfo.processInfo.environment["APP_ATTEST_VECTORS"]

    static let all: [RealDevice] = {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                let document = try? JSONValue(parsing: data)
            else { return nil }
            return RealDevice(testDescription: name, document: document)
        }
    }()

    /// Of two it is not known which app they ran: their attestations are of no use here.
    static let withAttestation = all.filter {
        $0.document["attestationBase64"] != nil && $0.document["appId"]?.string != nil
    }

    private func text(_ name: String) -> String { document[name]?.string ?? "" }
    private func bytes(_ name: String) -> [UInt8] { Base64.bytes(text(name)) ?? [] }

    private var appID: String { "\(text("teamId")).\(text("bundleId"))" }
    var environment: AttestEnvironment? { AttestEnvironment(rawValue: text("environment")) }
    var attestation: [UInt8] { bytes("attestationBase64") }
    /// The point in hexadecimal, or at the end of a key in PEM.
    var publicKey: [UInt8] {
        let pem = text("publicKeyPem").split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return Hexadecimal.bytes(
            text("publicKeyPointHex") + Hexadecimal.text(Array((Base64.bytes(pem) ?? []).suffix(65)))
        ) ?? []
    }
    var verifyAt: WallInstant { WallInstant(rfc3339: text("verifyAt")) ?? WallInstant(milliseconds: 0) }

    /// Apple's published samples have the raw challenge where devices have its hash.
    var claim: AttestationClaim {
        let apps = [DeviceApp(appID: appID, environments: Set([environment].compactMap { $0 }))]
        let isRaw = document["challengeBase64"] == document["clientDataHashBase64"]
        return isRaw
            ? AttestationClaim(apps: apps, keyID: bytes("keyId"), rawClientDataHash: bytes("challengeBase64"))
            : AttestationClaim(apps: apps, keyID: bytes("keyId"), challenge: bytes("challengeBase64"))
    }

    var assertions: [(assertion: [UInt8], claim: AssertionClaim)] {
        (document["assertions"]?.array ?? []).map { entry in
            let claim = AssertionClaim(
                appID: appID,
                publicKey: publicKey,
                previousCounter: UInt32(entry["previousCounter"]?.number?.int64 ?? 0),
                clientData: Base64.bytes(entry["clientDataBase64"]?.string ?? "") ?? []
            )
            return (Base64.bytes(entry["assertionBase64"]?.string ?? "") ?? [], claim)
        }
    }
}
