/// The header fields of a message, in the order received, names compared without regard to case.
///
/// A head is one array of bytes and, for every field, where its name and value lie in it: reading a message makes no
/// text, and only the values asked for become strings.
public struct HeaderFields: Sendable {
    struct Entry: Sendable {
        let name: Range<UInt32>
        let value: Range<UInt32>
    }

    /// The whole head: the request line too, which the request's target lies in.
    let head: [UInt8]
    let entries: [Entry]

    /// How many fields there are, repeated ones each.
    public var count: Int { entries.count }

    /// The values of every field of that name, in order; commas do not divide them.
    ///
    /// A value that is not UTF-8 is read as ISO-8859-1, as RFC 9110 section 5.5 has it for old clients, so that two
    /// values never become one for want of a character.
    public func values(_ name: String) -> [String] {
        entries.filter { matches($0, name) }.map { text(of: $0.value) }
    }

    /// The value of the first field of that name. Where more than one would be a fault, ask ``count(of:)`` too.
    public func first(_ name: String) -> String? {
        entries.first { matches($0, name) }.map { text(of: $0.value) }
    }

    /// How many fields have that name.
    public func count(of name: String) -> Int {
        entries.reduce(0) { $0 + (matches($1, name) ? 1 : 0) }
    }

    /// The value's bytes of the first field of that name, for what is compared and not shown.
    public func firstBytes(_ name: String) -> ArraySlice<UInt8>? {
        entries.first { matches($0, name) }.map { bytes($0.value) }
    }

    private func matches(_ entry: Entry, _ name: String) -> Bool {
        head.span.equals(name.utf8.span, in: Range(entry.name))
    }

    private func bytes(_ range: Range<UInt32>) -> ArraySlice<UInt8> {
        head[Range(range)]
    }

    private func text(of range: Range<UInt32>) -> String {
        let bytes = bytes(range)
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map(Unicode.Scalar.init)))
    }
}

extension Range<Int> {
    /// Places in a head are kept in half the room; a head is far smaller than what fits.
    init(_ range: Range<UInt32>) {
        self = Int(range.lowerBound)..<Int(range.upperBound)
    }
}

extension HeaderFields: Sequence {
    /// One field's name as it was sent, and its value.
    public typealias Element = (name: String, value: String)

    public func makeIterator() -> some IteratorProtocol<Element> {
        entries.lazy.map { (name: text(of: $0.name), value: text(of: $0.value)) }.makeIterator()
    }
}
