/// What an assertion is checked against.
public struct AssertionClaim: Sendable {
    /// The app that registered the device: `TEAMID.com.example.app`.
    public let appID: String
    /// The device's key as it was registered: an uncompressed point of P-256, 65 bytes.
    public let publicKey: [UInt8]
    /// The counter of the last assertion that was accepted; 0 after the registration.
    public let previousCounter: UInt32
    /// What the device says it signed, whole and not hashed.
    public let clientData: [UInt8]

    public init(appID: String, publicKey: [UInt8], previousCounter: UInt32, clientData: [UInt8]) {
        self.appID = appID
        self.publicKey = publicKey
        self.previousCounter = previousCounter
        self.clientData = clientData
    }
}
