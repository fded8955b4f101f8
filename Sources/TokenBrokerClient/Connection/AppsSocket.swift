#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Where the broker's apps socket is, when the program does not say.
enum AppsSocket {
    private static let defaultPath = "/run/tokenbroker/apps.sock"
    private static let variable = "TOKENBROKER_SOCKET"

    /// What the environment names, else where the package puts it.
    static var path: String {
        getenv(variable).map { String(cString: $0) } ?? defaultPath
    }
}
