/// Why a managed secret that has no value here may have one in the journal.
enum JournalDoubt {
    /// Nobody could read it since the start.
    case unread(StoreError)
    /// Some of what was kept is gone, or cannot be read.
    case partLost

    func problem(of secret: Name) -> SecretProblem {
        switch self {
        case .unread(let error):
            SecretProblem(
                .unreadable,
                "secret \(secret): the store, which keeps its value, cannot be read: \(error.message)",
                remedy: "journalctl --unit=tokenbroker.service --grep=store"
            )
        case .partLost:
            SecretProblem(
                .missing,
                "secret \(secret): the store has no value of it that can be read, and may have lost one: "
                    + "tokenbroker secret rotate \(secret) < value"
            )
        }
    }
}
