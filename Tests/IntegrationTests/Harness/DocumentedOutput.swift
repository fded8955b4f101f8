/// What a page says that a command prints; `…` stands for anything on one line.
struct DocumentedOutput {
    let text: String

    func matches(_ output: String) -> Bool {
        let (patterns, lines) = (Self.lines(text), Self.lines(output))
        return patterns.count == lines.count && zip(patterns, lines).allSatisfy(Self.matches)
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n")
    }

    private static func matches(_ pattern: Substring, _ line: Substring) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return pattern == line }
        guard line.hasPrefix(parts[0]), line.dropFirst(parts[0].count).hasSuffix(parts[parts.count - 1]) else {
            return false
        }
        var rest = line.dropFirst(parts[0].count).dropLast(parts[parts.count - 1].count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
