/// How the daemon ends; the numbers are those of sysexits.h where it has one.
enum ExitStatus: Int32 {
    case success = 0
    case usage = 64
    case failure = 70
    /// Another instance is alive.
    case temporaryFailure = 75
    case configuration = 78
}
