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
