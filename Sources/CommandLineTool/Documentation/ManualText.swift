/// Text of a manual page (mdoc(7)).
enum ManualText {
    /// A paragraph, each sentence on lines of its own, which is how mdoc knows where one ends.
    static func paragraph(_ text: String) -> [String] {
        var rest = text[...]
        var lines: [String] = []
        while let end = rest.firstRange(of: ". ") {
            lines += TextWrapping.lines(String(rest[..<end.lowerBound]) + ".", width: width).map(escaped)
            rest = rest[end.upperBound...]
        }
        return lines + TextWrapping.lines(String(rest), width: width).map(escaped)
    }

    /// The line of a macro with its arguments, which are of our own making.
    static func macro(_ name: String, _ arguments: String...) -> String {
        ([".\(name)"] + arguments.map(argument)).joined(separator: " ")
    }

    /// An option and its value as words of a macro's line.
    static func option(_ option: CommandOption) -> String {
        let flag = "Fl \(escaped(String(option.name.dropFirst())))"
        return option.value.map { "\(flag) Ar \(argument($0))" } ?? flag
    }

    static func operand(_ operand: Operand) -> String {
        let name = "Ar \(argument(operand.name))"
        return switch operand.occurrence {
        case .required: name
        case .optional: "Op \(name)"
        case .repeated: "Op \(name) ..."
        case .afterDashes: "Fl \\&- \(name) ..."
        }
    }

    /// Some bytes shorter than the line that a manual page should have: an escape takes two.
    private static let width = 74

    /// Text that stands for itself at any place of a line.
    static func escaped(_ text: String) -> String {
        var escaped = text.first == "." || text.first == "'" ? "\\&" : ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "…": escaped += "..."
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// One argument of a macro: a word that is itself a macro's name, and spaces, are no more than text.
    private static func argument(_ text: String) -> String {
        let text = escaped(text).replacing("\"", with: "\\(dq")
        return text.contains(" ") ? "\"\(text)\"" : text.count <= 3 ? "\\&\(text)" : text
    }
}
