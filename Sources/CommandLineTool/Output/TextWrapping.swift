/// Paragraphs in lines that fit a terminal.
enum TextWrapping {
    /// The narrowest terminal in use.
    private static let terminalWidth = 80

    static func lines(_ paragraph: String, width: Int = terminalWidth) -> [String] {
        var lines: [String] = []
        for word in paragraph.split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
