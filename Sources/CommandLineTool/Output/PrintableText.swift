/// Text from outside, made fit for a terminal.
///
/// A control byte can move the cursor, rename the window or hide a line, and a direction mark can reorder what is
/// read; what the broker repeats may come from a provider or from a configuration.
enum PrintableText {
    /// The text with everything that does not print written as its code: `\u{1b}`.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if printsAsItself(scalar) {
                escaped.append(scalar)
            } else {
                escaped.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(escaped)
    }

    /// JSON text with what its writer leaves as it is and a terminal would act on, DEL and C1, in JSON's own escapes.
    ///
    /// Such characters can only be inside of strings, so the document means the same.
    static func escapedJSON(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if (0x7F...0x9F).contains(scalar.value) {
                escaped.append(contentsOf: "\\u00\(String(scalar.value, radix: 16))".unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func printsAsItself(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
