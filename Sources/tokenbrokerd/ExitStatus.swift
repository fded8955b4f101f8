/// How the daemon ends; the numbers are those of sysexits.h where it has one.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case usage = 64
    case failure = 70
    /// Another instance is alive.
    case temporaryFailure = 75
    case configuration = 78

    /// For `--help`.
    var meaning: String {
        switch self {
        case .success: "stopped cleanly"
        case .usage: "usage"
        case .failure: "failure"
        case .temporaryFailure: "another instance is alive"
        case .configuration: "configuration"
        }
    }
}
