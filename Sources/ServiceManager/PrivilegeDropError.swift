/// Why the process could not become another user.
public enum PrivilegeDropError: Error, Equatable, CustomStringConvertible {
    case unknownUser(String)
    /// The account has root's user or group id, so nothing would be given up.
    case accountIsRoot(String)
    /// The user database could not be read.
    case lookupFailed(SystemCallError)
    /// The kernel refused a step.
    case refused(SystemCallError)
    /// Root could be had back.
    case notFinal

    public var description: String {
        switch self {
        case .unknownUser(let name): "there is no user \"\(name)\" on this host"
        case .accountIsRoot(let name): "user \"\(name)\" has root's user or group id"
        case .lookupFailed(let error): "the user cannot be looked up: \(error)"
        case .refused(let error): "the change of user was refused: \(error)"
        case .notFinal: "the change of user can be taken back"
        }
    }
}
