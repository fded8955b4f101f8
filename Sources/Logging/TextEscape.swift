/// How text from outside is written so that one record stays one line and a terminal only ever shows it.
enum TextEscape {
    /// The value bare when that is unambiguous, else in quotes with what is dangerous escaped.
    static func quotedIfNeeded(_ text: String) -> String {
        let bare = !text.isEmpty && text.utf8.allSatisfy(isBare)
        return bare ? text : "\"" + escaped(text) + "\""
    }

    /// The text with quotes, backslashes and every character that does not print as itself escaped.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where printsAsItself(scalar): result.unicodeScalars.append(scalar)
            default: result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result
    }

    /// False for ESC and the C1 controls, which command terminals, for line separators, which some readers end a line
    /// at, and for format characters, which reorder or hide what is written.
    private static func printsAsItself(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// Printable ASCII that needs no quotes around it.
    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "="): false
        default: (0x21...0x7E).contains(byte)
        }
    }
}
