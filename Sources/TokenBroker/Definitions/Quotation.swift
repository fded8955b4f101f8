/// A word from outside that an error or a log may repeat, in quotes.
///
/// People paste keys where names belong. So a word that nobody defined is repeated only when it is built as names are and
/// could not be a key by its looks; where it stood says which word is meant anyway.
public struct Quotation: CustomStringConvertible, Sendable {
    /// Longer than names are in practice.
    private static let maximumLength = 40
    /// How long a stretch without a separator may be: letters alone, as in a word, or mixed with digits, as in a key.
    private static let longestWord = 20
    private static let longestMixture = 11
    /// How providers' keys begin.
    private static let prefixesOfKeys = ["sk", "pk", "rk", "rd", "rt", "at", "pb", "agw", "key", "ghp", "eyj"]

    public let description: String

    /// - Returns: nil when `word` must not be repeated.
    public init?(_ word: String) {
        guard (1...Self.maximumLength).contains(word.utf8.count), word.utf8.allSatisfy(Self.isOfNames) else {
            return nil
        }
        let stretches = word.lowercased().utf8.split { !Self.isLetter($0) && !Self.isDigit($0) }
        guard stretches.allSatisfy(Self.isWord) else { return nil }
        if stretches.count > 1, let first = stretches.first {
            guard !Self.prefixesOfKeys.contains(where: first.elementsEqual) else { return nil }
        }
        description = "'\(word)'"
    }

    /// The word without quotes; `…` stands for one that must not be repeated.
    public static func bare(_ word: String) -> String {
        Quotation(word) == nil ? "…" : word
    }

    private static func isWord(_ stretch: Substring.UTF8View) -> Bool {
        let isMixture = stretch.contains(where: isLetter) && stretch.contains(where: isDigit)
        return stretch.count <= (isMixture ? longestMixture : longestWord)
    }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        isLetter(byte | 0x20) || isDigit(byte) || "._-".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension Sequence<UInt8> {
    fileprivate func elementsEqual(_ text: String) -> Bool {
        elementsEqual(text.utf8)
    }
}
