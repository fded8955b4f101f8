import Digests
import TokenBroker

/// Devices without cryptography: every attestation but an empty one is right, and an assertion is a counter and the client
/// data that it is for.
struct ScriptedVerification: DeviceVerification {
    static let appID = "TEAM.app"

    static func assertion(_ counter: UInt32, over clientData: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: counter.bigEndian) { Array($0) } + clientData
    }

    func key(
        attestedBy attestation: [UInt8],
        keyID: [UInt8],
        challenge: [UInt8],
        apps: [DeviceApp],
        at instant: WallInstant
    ) throws(DeviceRejection) -> DeviceKey {
        guard !attestation.isEmpty else { throw DeviceRejection(reason: "malformed_attestation", detail: "empty") }
        return DeviceKey(appID: Self.appID, environment: .production, keyID: keyID, publicKey: [4])
    }

    func counter(
        of assertion: [UInt8],
        by key: DeviceKey,
        over clientData: [UInt8],
        after previous: UInt32
    ) throws(DeviceRejection) -> UInt32 {
        guard Array(assertion.dropFirst(4)) == clientData else {
            throw DeviceRejection(reason: "bad_signature", detail: "for other client data")
        }
        return assertion.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension DeviceGate.Ports {
    /// Whatever is verified is verified where it is asked for.
    static func scripted(
        _ policy: any DevicePolicySource,
        _ clock: any HostClock,
        _ audit: any AuditLog
    ) -> DeviceGate.Ports {
        DeviceGate.Ports(
            policy: policy,
            store: nil,
            clock: clock,
            audit: audit,
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            authenticationCode: { HMACSHA256.code(for: $0, key: $1) },
            perform: { $0() }
        )
    }
}
