/// Why a document was refused, and where.
///
/// It never holds what was read: the documents are answers with tokens in them, and errors are logged.
public struct JSONError: Error, Sendable, Equatable {
    public enum Code: String, Sendable {
        /// The document ends inside a value, or is empty.
        case unexpectedEnd = "document ends too early"
        /// A byte that the grammar does not allow there.
        case unexpectedByte = "unexpected byte"
        /// A number that is not written as RFC 8259 writes numbers: `01`, `+1`, `.5`, `1.`.
        case malformedNumber = "malformed number"
        /// A byte below 0x20 inside a string.
        case controlCharacter = "control character in a string"
        /// A backslash followed by something that is no escape.
        case malformedEscape = "malformed escape"
        /// Half of a surrogate pair: it stands for no character.
        case loneSurrogate = "lone surrogate"
        /// Bytes of a string that are not UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// A name that the object already has.
        case duplicateMember = "duplicate member"
        /// More arrays and objects open at once than the limit.
        case tooDeep = "nested too deep"
        /// Something other than white space after the value.
        case trailingBytes = "bytes after the document"
    }

    public let code: Code
    /// The offset of the byte at fault, from the document's first.
    public let offset: Int

    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        "malformed JSON: \(code.rawValue) at byte \(offset)"
    }
}
