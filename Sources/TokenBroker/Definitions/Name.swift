/// A name from the configuration: `[a-z0-9][a-z0-9._-]{0,62}`.
///
/// The alphabet needs no escape in a path, a header, a metric label or a file name.
public struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let maximumLength = 63

    public let text: String

    /// - Returns: nil when `text` is not such a name.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= Self.maximumLength else { return nil }
        guard Self.isAlphanumeric(first), bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    public var description: String { text }

    public static func < (lhs: Name, rhs: Name) -> Bool {
        lhs.text < rhs.text
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

extension Name: ExpressibleByStringLiteral {
    /// - Precondition: the literal is a valid name.
    public init(stringLiteral value: StaticString) {
        guard let name = Name(value.description) else { preconditionFailure("not a name: \(value)") }
        self = name
    }
}
