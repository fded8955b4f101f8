internal import Glibc

/// Chooses between the journal and standard error.
public enum LogDestination {
    /// The journal when standard error leads there anyway, else standard error.
    ///
    /// - Parameters:
    ///   - environment: of the process; systemd sets `JOURNAL_STREAM`.
    ///   - identifier: the program's name in the journal.
    public static func output(environment: [String: String], identifier: String) -> any LogOutput {
        let standardError = StandardErrorOutput()
        guard leadsToJournal(descriptor: STDERR_FILENO, environment: environment) else { return standardError }
        return JournalOutput(identifier: identifier, fallback: standardError)
    }

    /// Whether the descriptor is the stream that `JOURNAL_STREAM` names as `DEVICE:INODE` (systemd.exec(5)). The
    /// variable alone proves nothing: it is inherited by children whose standard error was redirected.
    static func leadsToJournal(descriptor: Int32, environment: [String: String]) -> Bool {
        var file = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &file) == 0 else { return false }
        return stream == "\(file.st_dev):\(file.st_ino)"
    }
}
