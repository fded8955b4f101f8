/// CBOR (RFC 8949) as an attestation and an assertion need it.
enum CBOR {
    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

    static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + text.utf8 }

    static func array(_ elements: [[UInt8]]) -> [UInt8] { head(4, elements.count) + elements.joined() }

    /// - Parameter entries: their keys are texts.
    static func map(_ entries: KeyValuePairs<String, [UInt8]>) -> [UInt8] {
        head(5, entries.count) + entries.flatMap { text($0.key) + $0.value }
    }

    /// A type and a length below 64 KiB.
    static func head(_ type: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<24: [type << 5 | UInt8(count)]
        case ..<256: [type << 5 | 24, UInt8(count)]
        default: [type << 5 | 25, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
    }
}
