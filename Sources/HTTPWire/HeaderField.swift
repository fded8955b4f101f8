/// One header field to send, checked: nothing that is sent through it can end a line or begin another message.
public struct HeaderField: Sendable, Equatable {
    public let name: String
    public let value: String

    /// The fields that say where a message ends and whom it is for; the encoders alone write them.
    private static let reservedNames: [StaticString] = ["host", "content-length", "transfer-encoding", "connection"]

    /// Takes a field from outside: a token, a configured header.
    ///
    /// - Throws: ``WireEncodingError`` where the name is not a token or one that the encoder writes itself, or the value has
    ///   a byte outside 0x20–0x7E and the tab.
    public init(_ name: String, _ value: String) throws(WireEncodingError) {
        let token = ByteSet.token
        guard !name.isEmpty, name.utf8.allSatisfy(token.contains) else { throw .malformedFieldName }
        let bytes = name.utf8.span
        for reserved in Self.reservedNames where bytes.equals(reserved, in: bytes.indices) { throw .reservedFieldName }
        guard value.utf8.allSatisfy({ $0 < 0x80 && !$0.isControl }) else { throw .malformedFieldValue }
        self.name = name
        self.value = value
    }

    /// A field that is written in the source; one that may not be sent is a programmer's error and traps.
    public init(constant name: StaticString, _ value: StaticString) {
        do throws(WireEncodingError) {
            try self.init("\(name)", "\(value)")
        } catch {
            preconditionFailure("\(name): \(error)")
        }
    }
}

/// Why something cannot be sent. It never holds what it was.
public enum WireEncodingError: Error, Sendable {
    /// A field name that is not a token (RFC 9110 section 5.6.2).
    case malformedFieldName
    /// A field that the encoder writes itself.
    case reservedFieldName
    /// A field value with a byte outside 0x20–0x7E and the tab.
    case malformedFieldValue
    /// A method that is not a token.
    case malformedMethod
    /// A target that is not a path of bytes 0x21–0x7E, with no `#`.
    case malformedTarget
    /// A host with a byte that no host has.
    case malformedHost
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a field whose parts have been checked.
    mutating func appendField(_ name: String, _ value: String) {
        self += name.utf8
        append(": ")
        self += value.utf8
        append("\r\n")
    }
}
