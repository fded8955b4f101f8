internal import Glibc

/// The port to the host's user and group databases.
public protocol Accounts: Sendable {
    /// The uid of the user called `name`, or nil where there is none.
    func userID(named name: String) -> UInt32?
    /// The gid of the group called `name`, or nil where there is none.
    func groupID(named name: String) -> UInt32?
}

/// The databases of the host this runs on, through the name service switch.
public struct HostAccounts: Accounts {
    /// A group with thousands of members needs more than the usual kilobyte; beyond this an answer is given up.
    private static let bufferSizes = sequence(first: 1024, next: { $0 < 1 << 20 ? $0 * 4 : nil })

    public init() {}

    public func userID(named name: String) -> UInt32? {
        var record = passwd()
        return Self.lookUp { buffer, size, result in
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwnam_r(name, &record, buffer, size, &found)
            result = found?.pointee.pw_uid
            return status
        }
    }

    public func groupID(named name: String) -> UInt32? {
        var record = group()
        return Self.lookUp { buffer, size, result in
            var found: UnsafeMutablePointer<group>?
            let status = getgrnam_r(name, &record, buffer, size, &found)
            result = found?.pointee.gr_gid
            return status
        }
    }

    /// Runs `call` with ever larger buffers while it says that one is too small.
    private static func lookUp(
        _ call: (UnsafeMutablePointer<CChar>, Int, inout UInt32?) -> Int32
    ) -> UInt32? {
        for size in bufferSizes {
            var result: UInt32?
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let status = call(buffer, size, &result)
            if status != ERANGE { return status == 0 ? result : nil }
        }
        return nil
    }
}
