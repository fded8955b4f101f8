/// Columns of text under headings, each as wide as its widest cell.
struct TextTable: Sendable {
    struct Cell: Sendable {
        let text: String
        let colour: Colour?

        init(_ text: String, colour: Colour? = nil) {
            self.text = PrintableText.escaped(text)
            self.colour = colour
        }
    }

    private let headings: [String]
    private var rows: [(cells: [Cell], notes: [String])] = []

    init(_ headings: [String]) {
        self.headings = headings
    }

    /// - Parameter notes: lines to put below the row, indented.
    mutating func append(_ cells: [Cell], notes: [String] = []) {
        precondition(cells.count == headings.count, "a row has one cell for each heading")
        rows.append((cells, notes.map(PrintableText.escaped)))
    }

    func lines(usesColour: Bool) -> [String] {
        let head = headings.map { Cell($0) }
        let widths = headings.indices.map { column in
            rows.map { $0.cells[column].text.count }.reduce(headings[column].count, max)
        }
        var lines = [Self.line(head, widths, usesColour: false)]
        for row in rows {
            lines.append(Self.line(row.cells, widths, usesColour: usesColour))
            lines += row.notes.map { "  " + $0 }
        }
        return lines
    }

    private static func line(_ cells: [Cell], _ widths: [Int], usesColour: Bool) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            line += usesColour ? cell.colour?.applied(to: cell.text) ?? cell.text : cell.text
            // The last column is not filled up: lines that end in blanks wrap and are a nuisance to copy.
            if column < cells.count - 1 {
                line += String(repeating: " ", count: widths[column] - cell.text.count + 2)
            }
        }
        return line
    }
}

/// A colour of the terminal's own palette (ECMA-48, SGR).
enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33

    func applied(to text: String) -> String {
        "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }
}
