/// What a request says of the device behind it.
public struct DeviceProof: Sendable {
    public let device: DeviceID
    /// The challenge's bytes.
    public let challenge: [UInt8]
    /// What the device signed ``clientData`` with.
    public let assertion: [UInt8]
    /// What the device must have signed.
    public let clientData: [UInt8]

    public init(device: DeviceID, challenge: [UInt8], assertion: [UInt8], clientData: [UInt8]) {
        self.device = device
        self.challenge = challenge
        self.assertion = assertion
        self.clientData = clientData
    }

    /// What a device signs for a request: whatever could make another request of it is in there, one thing a line.
    ///
    /// - Parameters:
    ///   - target: path, and query where there is one, as the app sent them.
    ///   - bodyDigest: the SHA-256 of the body, in base64url.
    ///   - challenge: the challenge's text.
    public static func clientData(
        route: Name,
        method: String,
        target: some Sequence<UInt8>,
        bodyDigest: String,
        challenge: some StringProtocol
    ) -> [UInt8] {
        let lines: [[UInt8]] = [
            Array("tokenbroker-request-v1".utf8), Array(route.text.utf8), Array(method.utf8), Array(target),
            Array(bodyDigest.utf8), Array(challenge.utf8),
        ]
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}

/// What an app sends to have its device's key registered.
public struct DeviceRegistration: Sendable {
    /// The challenge's bytes.
    public let challenge: [UInt8]
    public let keyID: [UInt8]
    public let attestation: [UInt8]

    public init(challenge: [UInt8], keyID: [UInt8], attestation: [UInt8]) {
        self.challenge = challenge
        self.keyID = keyID
        self.attestation = attestation
    }
}
