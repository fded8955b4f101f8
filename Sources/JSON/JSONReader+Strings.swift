extension JSONReader {
    /// Reads from one quotation mark through the other.
    ///
    /// A stretch without escapes, which is nearly every string, is checked and copied once.
    mutating func readString() throws(JSONError) -> String {
        index += 1
        var text = ""
        while true {
            text += try readPlainText()
            if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                return text
            }
            text.unicodeScalars.append(try readEscape())
        }
    }

    /// Reads up to a quotation mark or a backslash, which is left standing.
    private mutating func readPlainText() throws(JSONError) -> String {
        let start = index
        loop: while true {
            switch try peek() {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): break loop
            case 0..<0x20: throw JSONError(.controlCharacter, at: index)
            default: index += 1
            }
        }
        guard let text = String(validating: bytes[start..<index], as: UTF8.self) else {
            throw JSONError(.invalidUTF8, at: start)
        }
        return text
    }

    private mutating func readEscape() throws(JSONError) -> Unicode.Scalar {
        let start = index
        index += 1
        let kind = try peek()
        index += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readCodePoint(escapeAt: start)
        default: throw JSONError(.malformedEscape, at: start)
        }
    }

    /// Reads what follows `\u`, and for the first half of a surrogate pair the second escape too.
    private mutating func readCodePoint(escapeAt start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try readFourHexDigits(escapeAt: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, try peek() == UInt8(ascii: "\\") else { throw JSONError(.loneSurrogate, at: start) }
        index += 1
        guard try peek() == UInt8(ascii: "u") else { throw JSONError(.loneSurrogate, at: start) }
        index += 1
        let second = try readFourHexDigits(escapeAt: start)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func readFourHexDigits(escapeAt start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch try peek() {
            case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): digit = byte - UInt8(ascii: "0")
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): digit = byte - 87
            case let byte where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte): digit = byte - 55
            default: throw JSONError(.malformedEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
