/// The extension by which Apple signs what an attestation is for: `SEQUENCE { [1] { OCTET STRING } }`.
enum NonceExtension {
    static let identifier = "1.2.840.113635.100.8.2"

    private enum Tag {
        static let sequence: UInt8 = 0x30
        static let explicitOne: UInt8 = 0xA1
        static let octetString: UInt8 = 0x04
    }

    private static let length = 32

    /// - Returns: the 32 bytes, or nil where the value is anything but this structure with nothing beside it.
    static func nonce(_ value: [UInt8]) -> [UInt8]? {
        guard let sequence = only(Tag.sequence, value), let tagged = only(Tag.explicitOne, sequence),
            let nonce = only(Tag.octetString, tagged), nonce.count == length
        else { return nil }
        return Array(nonce)
    }

    private static func only(_ tag: UInt8, _ bytes: some Collection<UInt8>) -> ArraySlice<UInt8>? {
        var reader = DERReader(bytes)
        let content = reader.read(tag)
        return reader.isAtEnd ? content : nil
    }
}
