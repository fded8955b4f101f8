internal import Synchronization
public import TokenBroker

/// Devices without cryptography: an attestation is right where it begins with "genuine", and an assertion is a counter and
/// the client data that it is for.
public final class FakeVerification: DeviceVerification {
    public static let appID = "TEAM.app"

    private let hook = Mutex<(@Sendable () -> Void)?>(nil)

    public init() {}

    /// Is called once, when the next assertion has been found right and before anything comes of it.
    public func afterNext(_ body: @escaping @Sendable () -> Void) {
        hook.withLock { $0 = body }
    }

    public static func attestation(appID: String = FakeVerification.appID) -> [UInt8] { Array("genuine \(appID)".utf8) }

    public static func assertion(_ counter: UInt32, over clientData: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: counter.bigEndian) { Array($0) } + clientData
    }

    public func key(
        attestedBy attestation: [UInt8],
        keyID: [UInt8],
        challenge: [UInt8],
        apps: [DeviceApp],
        at instant: WallInstant
    ) throws(DeviceRejection) -> DeviceKey {
        guard let app = apps.first(where: { attestation == Self.attestation(appID: $0.appID) }) else {
            throw DeviceRejection(reason: "untrusted_chain", detail: "not genuine")
        }
        let point = [UInt8](repeating: 4, count: 65)
        return DeviceKey(appID: app.appID, environment: .production, keyID: keyID, publicKey: point)
    }

    public func counter(
        of assertion: [UInt8],
        by key: DeviceKey,
        over clientData: [UInt8],
        after previous: UInt32
    ) throws(DeviceRejection) -> UInt32 {
        guard Array(assertion.dropFirst(4)) == clientData else {
            throw DeviceRejection(reason: "bad_signature", detail: "for other client data")
        }
        let counter = assertion.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        guard counter > previous else { throw DeviceRejection(reason: "counter_not_greater", detail: "not greater") }
        let hook = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        hook?()
        return counter
    }
}
