internal import EventLoop
internal import TokenBroker

/// The process at the other end of a connection, as it was when it connected.
///
/// A peer that gives its socket to another process and lives on answers for it; one that ends, or becomes another
/// program, does not.
struct PinnedProcess: ProcessWitness {
    private let process: PeerProcess

    /// - Returns: nil where the process cannot be looked at, or is gone already.
    init?(of socket: borrowing Descriptor, _ credentials: PeerCredentials) {
        guard let process = try? PeerProcess(of: socket, credentials: credentials) else { return nil }
        self.process = process
    }

    func look() -> PeerProcessFacts? {
        process.lookAgain().map(PeerProcessFacts.init)
    }
}

extension PeerProcessFacts {
    init(_ process: PeerProcess) {
        self.init(
            unit: process.unit,
            executable: process.executable.map { ExecutableFile(device: $0.device, inode: $0.inode) },
            executablePath: process.executablePath
        )
    }
}

extension Peer {
    init(_ credentials: PeerCredentials, process: PinnedProcess?) {
        self.init(
            pid: credentials.pid,
            uid: credentials.uid,
            gid: credentials.gid,
            supplementaryGroups: credentials.groups,
            process: process
        )
    }
}
