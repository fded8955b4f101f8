// How a device is kept: a byte for the form, numbers of a fixed length, big endian, and the app's id at the end.

extension Device {
    private static let form: UInt8 = 1
    private static let keyIDLength = 32
    private static let publicKeyLength = 65

    static func recordID(_ id: DeviceID) -> RecordID { RecordID(.deviceCounter, id.text) }

    var payload: Secret {
        var bytes = [Self.form, key.environment == .production ? 0 : 1]
        bytes.append(bigEndian: counter)
        bytes.append(bigEndian: registeredAt.milliseconds)
        bytes.append(bigEndian: lastSeenAt.milliseconds)
        bytes += key.keyID
        bytes += key.publicKey
        bytes += key.appID.utf8
        return Secret(bytes)
    }

    /// - Returns: nil for a record that this version did not write.
    init?(_ record: VersionedRecord) {
        var bytes = record.payload.withBytes { Array($0) }[...]
        guard bytes.popFirst() == Self.form, let environment = bytes.popFirst(),
            let counter = bytes.takeNumber(UInt32.self), let registered = bytes.takeNumber(Int64.self),
            let seen = bytes.takeNumber(Int64.self), bytes.count > Self.keyIDLength + Self.publicKeyLength
        else { return nil }
        let keyID = Array(bytes.prefix(Self.keyIDLength))
        let publicKey = Array(bytes.dropFirst(Self.keyIDLength).prefix(Self.publicKeyLength))
        let appID = bytes.dropFirst(Self.keyIDLength + Self.publicKeyLength)
        self.init(
            id: DeviceID(record.id.key),
            key: DeviceKey(
                appID: String(decoding: appID, as: UTF8.self),
                environment: environment == 0 ? .production : .development,
                keyID: keyID,
                publicKey: publicKey
            ),
            registeredAt: WallInstant(milliseconds: registered)
        )
        self.counter = counter
        lastSeenAt = WallInstant(milliseconds: seen)
    }
}

extension [UInt8] {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// Takes a big-endian number off the front; nil where there are too few bytes.
    mutating func takeNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let length = Number.bitWidth / 8
        guard count >= length else { return nil }
        defer { removeFirst(length) }
        return prefix(length).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}
