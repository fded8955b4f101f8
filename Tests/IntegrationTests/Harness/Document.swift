import Glibc

/// A page of the documentation, as far as tests run it.
struct Document {
    /// A fenced block.
    struct Block {
        /// What stands behind the fence: `sh`, `swift`.
        let language: String
        let text: String
        /// The heading that it stands below.
        let heading: String
    }

    let blocks: [Block]
    private let lines: [Substring]

    /// - Parameter name: below `docs/`.
    init(_ name: String) throws {
        let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        lines = try Files.text("/\(folder)/docs/\(name)").split(separator: "\n", omittingEmptySubsequences: false)
        blocks = Self.blocks(lines)
    }

    private static func blocks(_ lines: [Substring]) -> [Block] {
        var blocks: [Block] = []
        var heading = ""
        var open: (language: String, lines: [Substring])?
        for line in lines {
            if let block = open {
                if line == "```" {
                    let text = block.lines.map { $0 + "\n" }.joined()
                    blocks.append(Block(language: block.language, text: text, heading: heading))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            } else if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" || $0 == " " })
            }
        }
        return blocks
    }

    /// The blocks in a language below a heading.
    func blocks(_ language: String, below heading: String) -> [Block] {
        blocks.filter { $0.language == language && $0.heading == heading }
    }

    /// The one such block.
    func block(_ language: String, below heading: String) throws -> String {
        let found = blocks(language, below: heading)
        guard found.count == 1 else { throw HarnessError("\(found.count) blocks of \(language) below \(heading)") }
        return found[0].text
    }

    /// The cells of the first table below a heading, the head's first.
    func table(below heading: String) throws -> [[String]] {
        let section = lines.drop { !($0.hasPrefix("#") && $0.hasSuffix(" " + heading)) }
        let rows = section.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        guard rows.count > 2 else { throw HarnessError("no table below \(heading)") }
        return rows.filter { !$0.hasPrefix("|--") }.map { row in
            row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map(Self.trimmed)
        }
    }

    /// The items of the first list below a heading of a manual page, as they are shown.
    func items(below heading: String) -> [String] {
        let section = lines.drop { $0 != ".Sh \(heading)" }.dropFirst()
        return section.prefix { !$0.hasPrefix(".S") }.filter { $0.hasPrefix(".It ") }.map { item in
            let words = item.split(separator: " ").dropFirst().filter { !["Fl", "Ar"].contains($0) }
            return words.joined(separator: " ").replacing(#"\-"#, with: "--")
        }
    }

    private static func trimmed(_ cell: Substring) -> String {
        let cell = cell.drop { $0 == " " }
        return String(cell.prefix(cell.count - cell.reversed().prefix { $0 == " " }.count))
    }
}
