/// The last net: replaces what looks like a key or a token of a kind this broker handles.
///
/// It knows shapes, not values, so it is no reason to log something that might hold a secret.
enum Redactor {
    /// What stands in the place of a secret.
    static let mark = "<redacted>"

    /// How a kind of secret begins.
    private struct Kind {
        let prefix: [UInt8]
        /// How many token characters have to follow: shorter ones are names and prose.
        let minimumTail: Int
        /// Whether the prefix may follow a small letter; `task-1` is not a key.
        let insideWords: Bool

        init(_ prefix: StaticString, minimumTail: Int, insideWords: Bool = true) {
            self.prefix = Array(prefix.description.utf8)
            self.minimumTail = minimumTail
            self.insideWords = insideWords
        }
    }

    /// Prefixes are compared without regard to case, because a scheme may be written in any.
    private static let kinds = [
        Kind("sk_v1_", minimumTail: 1),
        Kind("at_v1_", minimumTail: 1),
        Kind("pk_v1_", minimumTail: 1),
        Kind("rd_sk_", minimumTail: 1),
        Kind("rd_pk_", minimumTail: 1),
        Kind("agw_", minimumTail: 1),
        Kind("pb_", minimumTail: 12, insideWords: false),
        Kind("sk_live_", minimumTail: 1),
        Kind("sk_test_", minimumTail: 1),
        Kind("sk-", minimumTail: 12, insideWords: false),
        Kind("eyj", minimumTail: 12, insideWords: false),
        Kind("bearer ", minimumTail: 8, insideWords: false),
        Kind("basic ", minimumTail: 16, insideWords: false),
    ]

    /// The text without what looks like a secret; the text itself when nothing does.
    static func redact(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            guard let end = endOfSecret(in: bytes, at: index) else {
                index += 1
                continue
            }
            kept += bytes[start..<index]
            kept += mark.utf8
            start = end
            index = end
        }
        if start == 0 { return text }
        kept += bytes[start...]
        return String(decoding: kept, as: UTF8.self)
    }

    private static func endOfSecret(in bytes: [UInt8], at start: Int) -> Int? {
        for kind in kinds where matches(kind, in: bytes, at: start) {
            let tail = start + kind.prefix.count
            let end = bytes[tail...].firstIndex { !isTokenCharacter($0) } ?? bytes.count
            if end - tail >= kind.minimumTail { return end }
        }
        return nil
    }

    private static func matches(_ kind: Kind, in bytes: [UInt8], at start: Int) -> Bool {
        guard bytes.count - start > kind.prefix.count else { return false }
        if !kind.insideWords, start > 0, isSmallLetter(bytes[start - 1]) { return false }
        return kind.prefix.indices.allSatisfy { lowercased(bytes[start + $0]) == kind.prefix[$0] }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// `token68` of RFC 9110, 11.2, with `_` and the `%` of a percent-encoded one.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=%".utf8.contains(byte)
        }
    }
}
