/// The port to the cryptography of device attestation. It blocks for the time of a few signature checks, so it is not for
/// a thread that serves.
public protocol DeviceVerification: Sendable {
    /// Checks that the maker of the device says of a key that it is in real hardware and of an accepted app.
    ///
    /// - Parameters:
    ///   - challenge: the bytes that the app was given.
    ///   - instant: when what the maker signed must be in force.
    func key(
        attestedBy attestation: [UInt8],
        keyID: [UInt8],
        challenge: [UInt8],
        apps: [DeviceApp],
        at instant: WallInstant
    ) throws(DeviceRejection) -> DeviceKey

    /// Checks that a device's key signed `clientData`.
    ///
    /// - Parameter previous: the counter of the last proof that was taken.
    /// - Returns: the counter of this one, which is greater.
    func counter(
        of assertion: [UInt8],
        by key: DeviceKey,
        over clientData: [UInt8],
        after previous: UInt32
    ) throws(DeviceRejection) -> UInt32
}
