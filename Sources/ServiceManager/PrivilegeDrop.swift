internal import Glibc

/// Gives up root for good (`run_as`).
public enum PrivilegeDrop {
    /// Becomes a user with the groups the host's databases give it, in all threads.
    ///
    /// When it throws after the lookup the process may stand between two users: the caller must end it.
    ///
    /// - Parameter user: the account's name.
    public static func become(user: String) throws(PrivilegeDropError) {
        let account = try UserAccount.named(user)
        guard account.uid != 0, account.gid != 0 else { throw .accountIsRoot(user) }
        // Groups first: without root's user id they could not be changed any more.
        guard initgroups(account.name, account.gid) == 0 else { throw .refused(SystemCallError("initgroups")) }
        guard setgid(account.gid) == 0 else { throw .refused(SystemCallError("setgid")) }
        guard setuid(account.uid) == 0 else { throw .refused(SystemCallError("setuid")) }
        guard isFinal(for: account) else { throw .notFinal }
        do { try ProcessHardening.forbidTracing() } catch { throw .refused(error) }
    }

    /// A set-user-id that answers 0 is not enough: with a capability left, or a saved id, there would be a way back.
    private static func isFinal(for account: UserAccount) -> Bool {
        getuid() == account.uid && geteuid() == account.uid && getgid() == account.gid && getegid() == account.gid
            && setuid(0) == -1 && seteuid(0) == -1 && setgid(0) == -1 && setegid(0) == -1
    }
}

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
