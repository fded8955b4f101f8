public import TokenBroker

/// The verifier as the gate's port.
extension DeviceVerifier: DeviceVerification {
    public func key(
        attestedBy attestation: [UInt8],
        keyID: [UInt8],
        challenge: [UInt8],
        apps: [DeviceApp],
        at instant: WallInstant
    ) throws(DeviceRejection) -> DeviceKey {
        let claim = AttestationClaim(apps: apps, keyID: keyID, challenge: challenge)
        do throws(DeviceRefusal) {
            let device = try verify(attestation: attestation, claim, at: instant)
            return DeviceKey(
                appID: device.appID,
                environment: device.environment,
                keyID: device.keyID,
                publicKey: device.publicKey
            )
        } catch {
            throw DeviceRejection(error)
        }
    }

    public func counter(
        of assertion: [UInt8],
        by key: DeviceKey,
        over clientData: [UInt8],
        after previous: UInt32
    ) throws(DeviceRejection) -> UInt32 {
        let claim = AssertionClaim(
            appID: key.appID,
            publicKey: key.publicKey,
            previousCounter: previous,
            clientData: clientData
        )
        do throws(DeviceRefusal) {
            return try Self.verify(assertion: assertion, claim).counter
        } catch {
            throw DeviceRejection(error)
        }
    }
}

extension DeviceRejection {
    fileprivate init(_ refusal: DeviceRefusal) {
        self.init(reason: refusal.code.rawValue, detail: refusal.detail)
    }
}
