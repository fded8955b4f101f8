/// How the program ends. Scripts branch on these, so a number never gets a second meaning.
///
/// From 64 on they are those of `sysexits.h`; 126 and 127 are the shell's.
enum ExitStatus: Int32, Sendable {
    case done = 0
    /// The broker answered, and its answer is no; or a device's attestation or assertion, or the audit log, is invalid.
    case refusedByBroker = 1
    /// `doctor` found something that keeps somebody from a token, or lets somebody to what is not theirs.
    case faultFound = 2
    /// `EX_USAGE`
    case usage = 64
    /// `EX_UNAVAILABLE`: nothing that speaks for the broker answers.
    case unavailable = 69
    /// `EX_IOERR`: what was asked for could not be written.
    case outputFailed = 74
    /// `EX_NOPERM`: the socket refuses this user.
    case notPermitted = 77
    /// `EX_CONFIG`
    case invalidConfiguration = 78
    case notExecutable = 126
    case programNotFound = 127
}

extension ExitStatus {
    /// What the help says of the statuses that every command can end with.
    static let documented: [(ExitStatus, String)] = [
        (.done, "done"),
        (
            .refusedByBroker,
            "the broker said no, its code is on standard error; or a device's verdict or the audit log is invalid"
        ),
        (.faultFound, "a fault was found (doctor)"),
        (.usage, "usage"),
        (.unavailable, "the broker is not there"),
        (.outputFailed, "the output could not be written"),
        (.notPermitted, "the socket refuses you"),
        (.invalidConfiguration, "the configuration is invalid (check-config)"),
    ]
}
