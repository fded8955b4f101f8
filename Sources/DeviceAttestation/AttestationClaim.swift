internal import Digests
public import TokenBroker

/// What an attestation is checked against.
public struct AttestationClaim: Sendable {
    /// The apps that may register, one of which must have made it.
    public let apps: [DeviceApp]
    /// The key id that the app sent, decoded.
    public let keyID: [UInt8]
    /// What the app gave to `attestKey` as `clientDataHash`.
    public let clientDataHash: [UInt8]

    /// - Parameter challenge: the challenge that the app was given, whose SHA-256 is the client data hash.
    public init(apps: [DeviceApp], keyID: [UInt8], challenge: [UInt8]) {
        self.init(apps: apps, keyID: keyID, rawClientDataHash: SHA256.digest(of: challenge))
    }

    /// A claim whose client data hash is taken as it is, of any length.
    ///
    /// Only for looking at an attestation offline: Apple's published samples have a raw challenge in its place. Who
    /// lets a device in makes the hash from the challenge, or it would be the device that chooses what is signed.
    public init(apps: [DeviceApp], keyID: [UInt8], rawClientDataHash: [UInt8]) {
        self.apps = apps
        self.keyID = keyID
        self.clientDataHash = rawClientDataHash
    }
}
