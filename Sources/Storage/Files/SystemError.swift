internal import Glibc
internal import TokenBroker

/// A system call that failed, in the system's words; nothing of its arguments, so it is safe for any reader.
struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    /// Of the call that just failed.
    static var last: SystemError { SystemError(number: errno) }

    var isNotFound: Bool { number == ENOENT }

    var description: String { String(cString: strerror(number)) }

    /// As the failure of the store that it is.
    func storeError(_ path: String, _ what: String) -> StoreError {
        switch number {
        case EROFS: StoreError(.readOnly, "\(path): \(what): \(self)", cause: self)
        case ENOSPC, EDQUOT: StoreError(.full, "\(path): \(what): \(self)", cause: self)
        default: StoreError(.unavailable, "\(path): \(what): \(self)", cause: self)
        }
    }
}
