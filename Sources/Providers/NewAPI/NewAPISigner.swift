internal import Digests
internal import TokenBroker

/// Signs requests for a new-api relay as one app on one device.
///
/// The signature is HMAC-SHA256 over the timestamp, the nonce and the body's SHA-256 in hexadecimal, on a line each. Its
/// key is the SHA-256 of the API key, the bundle's id and the device's, one after the other. Method and path are not in it.
struct NewAPISigner {
    /// The name of each option, and its words.
    enum Option {
        static let bundleID = "bundle_id"
        static let deviceID = "device_id"
        static let keyText = "key_text"
        static let timestamp = "timestamp"
    }

    /// Whether the signing key is made from the API key with or without what it begins with.
    enum KeyText: String, CaseIterable {
        case asIs = "as-is"
        case withoutPrefix = "without-prefix"
    }

    enum TimestampUnit: String, CaseIterable {
        case seconds
        case milliseconds
    }

    static let keyPrefix = "sk-"

    private let bundleID: String
    private let deviceID: String
    private let keyText: KeyText
    private let timestampUnit: TimestampUnit

    /// - Precondition: the options are checked; the configuration has done it.
    init(_ options: Options) {
        guard let bundleID = options[Option.bundleID], let deviceID = options[Option.deviceID] else {
            preconditionFailure("an app without its ids: the definition was not checked")
        }
        self.bundleID = bundleID
        self.deviceID = deviceID
        keyText = options[Option.keyText].flatMap(KeyText.init) ?? .asIs
        timestampUnit = options[Option.timestamp].flatMap(TimestampUnit.init) ?? .seconds
    }

    /// The headers beside `Authorization`.
    ///
    /// - Parameters:
    ///   - bodyDigest: SHA-256 of the body's bytes; of none where there is no body.
    ///   - nonce: a UUID that no other request has.
    func headers(key: TokenText, bodyDigest: [UInt8], at time: WallInstant, nonce: String) -> [CredentialHeader] {
        let timestamp =
            switch timestampUnit {
            case .seconds: String(time.unixSeconds)
            case .milliseconds: String(time.milliseconds)
            }
        let message = "\(timestamp)\n\(nonce)\n\(Hexadecimal.text(bodyDigest))"
        let signature = HMACSHA256.code(for: Array(message.utf8), key: signingKey(key))
        return [
            CredentialHeader("X-Bundle-Id", bundleID),
            CredentialHeader("X-Device-Id", deviceID),
            CredentialHeader("X-Timestamp", timestamp),
            CredentialHeader("X-Nonce", nonce),
            CredentialHeader("X-Signature", Base64.text(signature)),
        ]
    }

    private func signingKey(_ key: TokenText) -> [UInt8] {
        var text = key.revealed[...]
        if keyText == .withoutPrefix, text.hasPrefix(Self.keyPrefix) { text.removeFirst(Self.keyPrefix.count) }
        return SHA256.digest(of: Array((text + bundleID + deviceID).utf8))
    }
}
