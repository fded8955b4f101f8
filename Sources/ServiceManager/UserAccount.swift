internal import Glibc

/// An entry of the host's user database.
struct UserAccount: Equatable {
    let name: String
    let uid: UInt32
    let gid: UInt32

    /// No entry is longer; a database that asks for more room is broken.
    private static let maximumBufferSize = 1 << 20

    /// Looks a user up by name.
    static func named(_ name: String) throws(PrivilegeDropError) -> UserAccount {
        var size = 1024
        while size <= maximumBufferSize {
            var buffer = [CChar](repeating: 0, count: size)
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            switch getpwnam_r(name, &entry, &buffer, size, &found) {
            case 0 where found != nil: return UserAccount(name: name, uid: entry.pw_uid, gid: entry.pw_gid)
            // The numbers with which getpwnam(3) says, besides 0, that there is no such user.
            case 0, ENOENT, ESRCH, EBADF, EPERM: throw .unknownUser(name)
            case ERANGE: size *= 2
            case EINTR: continue
            case let number: throw .lookupFailed(SystemCallError("getpwnam_r", errorNumber: number))
            }
        }
        throw .lookupFailed(SystemCallError("getpwnam_r", errorNumber: ERANGE))
    }
}
