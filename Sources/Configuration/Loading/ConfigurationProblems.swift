/// One fault of a configuration file: what is wrong, and where.
///
/// The text names keys and names, never a value that could be a secret: it is safe for any reader.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// Of the key or value at fault; nil where the file as a whole is.
    public let position: SourcePosition?
    public let message: String

    public init(file: String, position: SourcePosition? = nil, message: String) {
        self.file = file
        self.position = position
        self.message = message
    }

    /// `FILE:LINE:COLUMN: message`, the form that editors jump to.
    public var description: String {
        guard let position else { return "\(file): \(message)" }
        return "\(file):\(position): \(message)"
    }
}

/// A place in a text; both numbers start at 1, and a column is one character.
public struct SourcePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "\(line):\(column)" }

    public static func < (lhs: SourcePosition, rhs: SourcePosition) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

/// Everything that is wrong with a configuration, file by file and in the order of the text.
public struct ConfigurationProblems: Error, Equatable, CustomStringConvertible {
    public let problems: [ConfigurationProblem]

    public init(_ problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
