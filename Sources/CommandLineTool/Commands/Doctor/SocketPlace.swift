internal import Configuration
internal import Glibc

/// A socket's file and the directory it lies in, as the kernel tells of them.
struct SocketPlace {
    /// Owner, group and mode, as of stat(2).
    struct Attributes: Equatable {
        var owner: UInt32
        var group: UInt32
        var permissions: UInt32
    }

    let path: String
    /// Nil where it is not there or cannot be looked at.
    let socket: Attributes?
    let directory: Attributes?

    init(_ path: String) {
        self.init(path, socket: Attributes(ofFileAt: path), directory: Attributes(ofFileAt: Self.directory(of: path)))
    }

    init(_ path: String, socket: Attributes?, directory: Attributes?) {
        self.path = path
        self.socket = socket
        self.directory = directory
    }

    /// The socket that is for everybody.
    ///
    /// - Parameters:
    ///   - owners: whose directory it may lie in: root's and the daemon's.
    ///   - failure: why nobody answers there; nil where somebody does.
    func appsFindings(owners: Set<UInt32>, failure: String?) -> [Finding] {
        var findings = failure.map { [Finding.socketSilent(path: path, reason: $0)] } ?? []
        findings += strangers(owners)
        if let socket, socket.permissions & 0o002 == 0 {
            let reason = "not every user may connect (mode \(socket.mode))"
            findings.append(narrow(isApps: true, reason, "chmod 0666 \(word)"))
        }
        if let directory, directory.permissions & 0o001 == 0 {
            let reason = "not every user may pass its directory (mode \(directory.mode))"
            findings.append(narrow(isApps: true, reason, "chmod o+x \(directoryWord)"))
        }
        return findings.isEmpty ? [.socketAsMeant(path: path)] : findings
    }

    /// The socket that is for the operators and observers.
    ///
    /// - Parameters:
    ///   - group: whom it is to let in; 0 where the configuration names no group.
    ///   - users: whom the configuration names.
    ///   - configuration: the file that does.
    func adminFindings(
        owners: Set<UInt32>,
        group: UInt32,
        users: [UInt32],
        configuration: String,
        host: HostNames
    ) -> [Finding] {
        guard let socket, let directory else { return [] }
        var findings = strangers(owners)
        if socket.permissions & 0o006 != 0 {
            findings.append(wide("everybody may connect (mode \(socket.mode))", "chmod 0660 \(word)"))
        }
        if group != 0, socket.group != group || directory.group != group && directory.permissions & 0o001 == 0 {
            let reason = "it is not of group \(host.group(group)), which the configuration names first"
            let remedy = "chgrp \(host.group(group)) \(directoryWord) \(word)"
            findings.append(narrow(isApps: false, reason, remedy))
        }
        for user in users where user != 0 {
            guard let groups = host.groups(of: user) else { continue }
            if !directory.admits(user, groups, 0o1) || !socket.admits(user, groups, 0o2) {
                // Root's group is no group to join.
                let group = socket.group == 0 ? nil : host.group(socket.group)
                findings.append(.userShutOut(user: host.user(user), group: group, configuration: configuration))
            }
        }
        return findings.isEmpty ? [.socketAsMeant(path: path)] : findings
    }

    /// Whoever can write to the directory can put a socket of their own there, and is handed what clients send.
    private func strangers(_ owners: Set<UInt32>) -> [Finding] {
        guard let directory else { return [] }
        var findings: [Finding] = []
        if !owners.contains(directory.owner) {
            findings.append(wide("uid \(directory.owner) owns its directory", "chown root \(directoryWord)"))
        }
        // In a sticky directory only an owner can put something in a file's place (inode(7)).
        if directory.permissions & 0o022 != 0, directory.permissions & 0o1000 == 0 {
            let reason = "others may write to its directory (mode \(directory.mode))"
            findings.append(wide(reason, "chmod go-w \(directoryWord)"))
        }
        return findings
    }

    private func wide(_ reason: String, _ remedy: String) -> Finding {
        .socketTooWide(path: path, reason: reason, remedy: remedy)
    }

    private func narrow(isApps: Bool, _ reason: String, _ remedy: String) -> Finding {
        .socketTooNarrow(path: path, isApps: isApps, reason: reason, remedy: remedy)
    }

    private var word: ShellWord { ShellWord(path) }
    private var directoryWord: ShellWord { ShellWord(Self.directory(of: path)) }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension SocketPlace.Attributes {
    init?(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(owner: status.st_uid, group: status.st_gid, permissions: status.st_mode & 0o7777)
    }

    fileprivate var mode: String { String(permissions, radix: 8) }

    /// Whether a user has this right; the first class that applies decides (path_resolution(7)).
    fileprivate func admits(_ user: UInt32, _ groups: Set<UInt32>, _ right: UInt32) -> Bool {
        if user == owner { return permissions & (right << 6) != 0 }
        if groups.contains(group) { return permissions & (right << 3) != 0 }
        return permissions & right != 0
    }
}
