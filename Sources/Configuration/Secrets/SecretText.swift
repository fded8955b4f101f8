internal import Glibc
public import TokenBroker

/// Takes a key out of the text of a file, or out of what an operator gave in the place of one.
public enum SecretText {
    /// No key is nearly as long; a file that is was not meant.
    static let maximumLength = 64 * 1024

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads `file` through a buffer that is wiped.
    ///
    /// - Parameter subject: what an error is about, such as the name and the path.
    static func read(_ file: borrowing OpenFile, for subject: String) throws(SecretProblem) -> Secret {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumLength + 1, alignment: 1)
        defer {
            explicit_bzero(buffer.baseAddress!, buffer.count)
            buffer.deallocate()
        }
        let count: Int
        do {
            count = try file.read(into: buffer)
        } catch {
            throw SecretProblem(.unreadable, "\(subject): cannot be read: \(error)")
        }
        guard count <= maximumLength else {
            throw SecretProblem(.malformed, "\(subject): is longer than \(maximumLength) bytes")
        }
        return try value(of: UnsafeRawBufferPointer(rebasing: buffer[..<count]), for: subject)
    }

    /// The key in a text, which is lent for the call.
    ///
    /// - Parameter subject: what an error is about.
    /// - Throws: a problem of what is in the text, without telling it.
    public static func value(of text: UnsafeRawBufferPointer, for subject: String) throws(SecretProblem) -> Secret {
        let value = withoutLineEnd(text)
        if let fault = fault(of: value) { throw SecretProblem(.malformed, "\(subject): \(fault)") }
        return Secret(value)
    }

    /// Editors and `echo` end a file with one line end, which is not part of the key; a second one is there by mistake.
    private static func withoutLineEnd(_ text: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        guard text.last == UInt8(ascii: "\n") else { return text[...] }
        let line = text.dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// Says what is wrong without saying what is there. Keys are visible ASCII and, for OAuth client secrets, spaces
    /// (RFC 6749, appendix A.2); anything else would break a header or is a file of another kind.
    private static func fault(of value: Slice<UnsafeRawBufferPointer>) -> String? {
        if value.isEmpty { return "is empty" }
        if value.starts(with: byteOrderMark) {
            return "begins with a byte order mark: save it as UTF-8 without one"
        }
        guard let bad = value.firstIndex(where: { !(0x20...0x7E).contains($0) }) else { return nil }
        switch value[bad] {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return "has more than one line"
        case 0x80...0xFF: return "has a character that is not ASCII (byte \(bad + 1))"
        default: return "has a control character in it (byte \(bad + 1))"
        }
    }
}
