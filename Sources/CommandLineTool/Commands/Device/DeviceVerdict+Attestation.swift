internal import DeviceAttestation
internal import Digests
internal import JSON
internal import TokenBroker

extension DeviceVerdict {
    /// Checks the attestation that the input describes.
    ///
    /// - Parameter now: seconds since 1970, where the input names no time.
    init(attestation input: [UInt8], now: Int64) {
        do throws(DeviceVerdict) {
            self = try Self.check(attestation: input, now)
        } catch {
            self = error
        }
    }

    private static let names: Set<String> = [
        "app_id", "environment", "key_id", "challenge", "client_data_hash", "attestation", "at",
    ]

    private static func check(attestation bytes: [UInt8], _ now: Int64) throws(DeviceVerdict) -> DeviceVerdict {
        let input = try DeviceInput(bytes, names: names)
        let claim = try claim(input)
        let attestation = try input.bytes(
            "attestation",
            orElse: DeviceRefusal.Code.malformedAttestation.rawValue
        )
        let instant = try instant(input, now)
        do throws(DeviceRefusal) {
            return DeviceVerdict(try DeviceVerifier().verify(attestation: attestation, claim, at: instant))
        } catch {
            return DeviceVerdict(error)
        }
    }

    private static func claim(_ input: DeviceInput) throws(DeviceVerdict) -> AttestationClaim {
        guard let environment = AttestEnvironment(rawValue: try input.text("environment")) else {
            throw .unreadable("'environment' is neither 'production' nor 'development'")
        }
        let apps = [DeviceApp(appID: try input.text("app_id"), environments: [environment])]
        let keyID = try input.bytes("key_id", orElse: DeviceRefusal.Code.malformedKeyID.rawValue)
        switch (input["challenge"], input["client_data_hash"]) {
        case (_?, nil):
            return AttestationClaim(apps: apps, keyID: keyID, challenge: try input.bytes("challenge"))
        case (nil, _?):
            let hash = try input.bytes("client_data_hash")
            return AttestationClaim(apps: apps, keyID: keyID, rawClientDataHash: hash)
        default: throw .unreadable("one of 'challenge' and 'client_data_hash' belongs there")
        }
    }

    private static func instant(_ input: DeviceInput, _ now: Int64) throws(DeviceVerdict) -> WallInstant {
        guard input["at"] != nil else { return WallInstant(milliseconds: now * 1000) }
        let text = try input.text("at")
        // A space in the place of the T is read where a provider writes it, and is not what the input is said to be.
        guard !text.contains(" "), let instant = WallInstant(rfc3339: text) else {
            throw .unreadable("'at' is no time of RFC 3339, such as 2026-07-17T12:34:56Z")
        }
        return instant
    }

    private init(_ device: AttestedDevice) {
        var facts: JSONObject = [
            "app_id": .string(device.appID),
            "environment": .string(device.environment.rawValue),
            "key_id": .string(Base64.text(device.keyID)),
            "public_key": .string(Hexadecimal.text(device.publicKey)),
            "counter": 0,
        ]
        facts.add(device.extensions)
        self.init(valid: facts)
    }
}
