/// Text in HTML.
enum HTMLText {
    /// The text as it stands for itself, in an element or in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Names and values, escaped here.
    static func list(_ facts: [(String, String)]) -> String {
        "<dl>\n" + facts.map { "<dt>\(escaped($0))</dt><dd>\(escaped($1))</dd>\n" }.joined() + "</dl>\n"
    }
}
