internal import CSystemd
internal import Glibc

/// The environment variables of this process.
public enum ProcessEnvironment {
    /// A copy of all variables; of one that occurs twice the first counts, as for `getenv`.
    ///
    /// To be called before there is a second thread, as ``remove(_:)``: the C library does not lock the variables.
    public static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var entry = tokenbroker_environment()
        while let text = entry?.pointee {
            entry = entry?.advanced(by: 1)
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, variables[String(parts[0])] == nil else { continue }
            variables[String(parts[0])] = String(parts[1])
        }
        return variables
    }

    /// Takes variables out of the environment.
    static func remove(_ names: [String]) {
        for name in names { unsetenv(name) }
    }
}
