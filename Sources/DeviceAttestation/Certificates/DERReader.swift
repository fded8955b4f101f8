/// Reads DER (X.690) of a few dozen bytes: tags of one byte, lengths in the short form.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) {
        rest = Array(bytes)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes the next element where it has this tag.
    ///
    /// - Returns: its content; nil for another tag, a length of the long form, or fewer bytes than it says.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.count >= 2, rest.removeFirst() == tag else { return nil }
        let length = Int(rest.removeFirst())
        guard length < 0x80, length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}
