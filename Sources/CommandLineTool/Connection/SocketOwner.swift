internal import Glibc

/// Which group a socket lets in.
enum SocketOwner {
    /// The name of the group of the socket, or of its directory where the socket itself cannot be looked at.
    ///
    /// - Returns: nil where neither can be, or where it is root's group, which nobody is told to join.
    static func group(ofSocketAt path: String) -> String? {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) }
        guard let id = groupID(path) ?? directory.flatMap(groupID), id != 0 else { return nil }
        return name(of: id) ?? String(id)
    }

    private static func groupID(_ path: String) -> gid_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_gid : nil
    }

    private static func name(of id: gid_t) -> String? {
        // One thread, and the answer is copied before the next call.
        getgrgid(id).map { String(cString: $0.pointee.gr_name) }
    }
}
