/// A public key on P-256 as COSE writes it (RFC 9053 section 7.1.1).
struct COSEKey: Equatable, Sendable {
    /// 65 bytes, the first of them 4: uncompressed.
    let point: [UInt8]

    private enum Label {
        static let keyType: Int64 = 1
        static let algorithm: Int64 = 3
        static let curve: Int64 = -1
        static let x: Int64 = -2
        static let y: Int64 = -3
    }

    private static let ellipticCurve = CBORValue(2)
    private static let es256 = CBORValue(-7)
    private static let p256 = CBORValue(1)
    private static let coordinateLength = 32

    /// - Returns: nil for anything but the five members of such a key.
    init?(_ value: CBORValue) {
        guard value.map?.count == 5, value[Label.keyType] == Self.ellipticCurve, value[Label.algorithm] == Self.es256,
            value[Label.curve] == Self.p256, let x = value[Label.x]?.bytes, x.count == Self.coordinateLength,
            let y = value[Label.y]?.bytes, y.count == Self.coordinateLength
        else { return nil }
        point = [4] + x + y
    }
}
