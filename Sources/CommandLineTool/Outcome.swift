/// What a command decided on; `Tool` does it.
enum Outcome: Equatable, Sendable {
    /// Write this and end.
    case report(Report)
    /// Become this program.
    case execute(Execution)
    /// Follow a token.
    case watch(Watch)
    /// Print the audit log.
    case audit(AuditListing)
    /// Draw the status until somebody has seen enough.
    case top(Top)
}

/// What a command has to say.
struct Report: Equatable, Sendable {
    /// For standard output, as it is.
    var output: [UInt8] = []
    /// Lines for standard error.
    var notes: [String] = []
    var status = ExitStatus.done

    /// Text of which each line ends with a line feed.
    static func text(_ lines: [String], notes: [String] = []) -> Report {
        Report(output: Array(lines.map { $0 + "\n" }.joined().utf8), notes: notes)
    }
}

/// A program to become, with a token in its environment and nowhere else.
struct Execution: Equatable, Sendable {
    let program: [String]
    let variable: String
    let token: String
}
