/// Why a device's registration or proof is not taken.
public struct DeviceRejection: Error, Equatable, Sendable {
    /// The stable name of the reason, which apps act on.
    public let reason: String
    /// What to look at, in words; safe for any reader.
    public let detail: String

    /// - Parameter reason: a name that never changes its meaning, such as a verifier has one for each of its checks.
    public init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

extension DeviceRejection {
    /// The request has no proof.
    public static let proofMissing = DeviceRejection(
        reason: "proof_missing",
        detail: "this route serves registered devices only: send X-Device-Proof"
    )
    /// What is there as a proof is none.
    public static let malformedProof = DeviceRejection(
        reason: "malformed_proof",
        detail: "X-Device-Proof is v1.DEVICE_ID.CHALLENGE.ASSERTION, once, the last two in base64url"
    )
    /// Nobody has looked at the proof: too many are before it.
    public static let verificationBusy = DeviceRejection(
        reason: "verification_busy",
        detail: "too many devices wait to be verified"
    )
    /// Nobody knows yet what the proof is worth, and the request does not wait any longer.
    public static let verificationLate = DeviceRejection(
        reason: "verification_late",
        detail: "the device was not verified in time"
    )
    /// The challenge was not given out here: by another route, another broker, or before the broker started.
    static let challengeUnknown = DeviceRejection(
        reason: "challenge_unknown",
        detail: "this route has not given out this challenge since the broker started: ask for a new one"
    )
    static let challengeExpired = DeviceRejection(
        reason: "challenge_expired",
        detail: "the challenge is too old: ask for a new one"
    )
    static let challengeSpent = DeviceRejection(
        reason: "challenge_spent",
        detail: "the challenge was used before, if only in vain: ask for a new one"
    )
    /// The app has to register anew.
    static let unknownDevice = DeviceRejection(
        reason: "unknown_device",
        detail: "there is no such device any more: make a new key and register it"
    )
    static let counterNotGreater = DeviceRejection(
        reason: "counter_not_greater",
        detail: "another request with a later proof came first: make a new one"
    )
    /// The device's app is not accepted any more.
    static let appNotAccepted = DeviceRejection(
        reason: "app_id_mismatch",
        detail: "the app that registered the device is not accepted"
    )
    static let environmentNotAccepted = DeviceRejection(
        reason: "environment_mismatch",
        detail: "the environment that the device registered from is not accepted"
    )
}
