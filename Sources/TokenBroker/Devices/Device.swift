/// A device's key as its registration proved it.
public struct DeviceKey: Hashable, Sendable {
    /// The app that made it: `TEAMID.com.example.app`.
    public let appID: String
    public let environment: AttestEnvironment
    /// What App Attest calls the key: the SHA-256 of ``publicKey``.
    public let keyID: [UInt8]
    /// An uncompressed point of P-256: 65 bytes.
    public let publicKey: [UInt8]

    public init(appID: String, environment: AttestEnvironment, keyID: [UInt8], publicKey: [UInt8]) {
        self.appID = appID
        self.environment = environment
        self.keyID = keyID
        self.publicKey = publicKey
    }
}

/// A registered device: one key of one app.
public struct Device: Hashable, Sendable {
    public let id: DeviceID
    public let key: DeviceKey
    public let registeredAt: WallInstant
    /// Of the last proof that was taken; 0 where there was none. A proof's must be greater.
    public internal(set) var counter: UInt32 = 0
    /// When it registered or proved itself last.
    public internal(set) var lastSeenAt: WallInstant

    init(id: DeviceID, key: DeviceKey, registeredAt: WallInstant) {
        self.id = id
        self.key = key
        self.registeredAt = registeredAt
        lastSeenAt = registeredAt
    }
}
