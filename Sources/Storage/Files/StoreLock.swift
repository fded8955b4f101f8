internal import Glibc
internal import TokenBroker

/// The lock beside a store, `PATH.lock`: one broker has the store for as long as it lives.
///
/// SQLite's own locks last for a transaction; two brokers would take turns, each overwriting what the other minted. The
/// kernel drops this one however its holder dies. The file itself stays: unlinking it would let two brokers hold locks on
/// two files of one name.
final class StoreLock {
    private let file: Descriptor

    /// - Throws: `inUse` while another broker holds it.
    init(besideStoreAt path: String) throws(StoreError) {
        let lockPath = path + ".lock"
        do throws(SystemError) {
            file = try Self.open(lockPath)
        } catch {
            throw error.storeError(lockPath, "cannot be opened")
        }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError.last
            guard error.number == EWOULDBLOCK else { throw error.storeError(lockPath, "cannot be locked") }
            throw StoreError(.inUse, "\(path): another broker uses this store", cause: error)
        }
    }

    private static func open(_ path: String) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
        } catch {
            let failure = error
            guard failure.number == EROFS else { throw failure }
            // What cannot be written can be locked, where an earlier broker left it.
            do { return try Descriptor(path, O_RDONLY | O_NOFOLLOW) } catch { throw failure }
        }
    }

    deinit {
        // Closing alone is not enough: a child between its fork and its exec still shares the lock.
        _ = flock(file.number, LOCK_UN)
    }
}
