internal import TokenBroker

/// Why a command ends without having done what it was asked: the status, and the lines for standard error.
///
/// The lines may repeat what the broker said, and of what was typed what a ``Quotation`` may; they are made printable when
/// they are written.
struct CommandFailure: Error, Equatable {
    let status: ExitStatus
    let lines: [String]
    /// What the broker said, where it did.
    let problem: Problem?

    init(_ status: ExitStatus, _ lines: [String], problem: Problem? = nil) {
        self.status = status
        self.lines = lines
        self.problem = problem
    }

    /// Arguments that mean nothing; `hint` says what does, or where to read it.
    static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, [message] + (hint.map { [$0] } ?? []))
    }

    /// The same of a word that was typed, which ends the message unless it could be a key that was pasted.
    static func usage(_ message: String, of word: String, hint: String? = nil) -> CommandFailure {
        usage(message + (Quotation(word).map { ": \($0)" } ?? ""), hint: hint)
    }
}
