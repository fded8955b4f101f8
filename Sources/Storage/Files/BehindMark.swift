internal import Glibc
internal import TokenBroker

/// The mark beside a store, `PATH.behind`: something was served that the store could not take in.
///
/// A file of its own, because a store that is full, locked or encrypted with another key cannot note it itself. For an
/// empty file there is mostly room on a full disk; only on a disk that takes nothing at all there is none.
struct BehindMark {
    private let path: String

    init(besideStoreAt path: String) {
        self.path = path + ".behind"
    }

    /// A mark that cannot be looked for counts: the numbers it is about may be skipped, and must not be used twice.
    var isSet: Bool {
        do { return try FileStatus.at(path) != nil } catch { return true }
    }

    /// Sets it as well as that can be done now.
    func set() {
        do {
            _ = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
            try Directory(of: path).synchronize()
        } catch {
            // It is set already, or cannot be; the failure that it is about is told anyway.
        }
    }

    func clear() throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError.last.storeError(path, "cannot be removed") }
    }
}
