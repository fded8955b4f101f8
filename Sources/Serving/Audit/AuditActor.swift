internal import EventLoop
public import TokenBroker

extension AuditEvent.Actor {
    /// With the unit where the process was looked at when it connected; else nobody knows that it is this one's.
    init(_ peer: Peer) {
        self.init(uid: peer.uid, pid: peer.pid, unit: peer.process?.look()?.unit)
    }

    /// With the unit as it is seen now, which lets nobody in: whoever uses the admin socket may, and it is noted from
    /// where.
    init(operator peer: Peer) {
        let process = try? PeerProcess(number: peer.pid, user: peer.uid)
        self.init(uid: peer.uid, pid: peer.pid, unit: process?.unit)
    }
}

extension AuditEvent {
    /// - Parameters:
    ///   - problems: those of a configuration that was not taken; none where it was.
    ///   - actor: nil for a signal.
    public static func reload(_ problems: [String], by actor: Actor?) -> AuditEvent {
        AuditEvent(
            .reload,
            "reload",
            outcome: problems.isEmpty ? "ok" : Problem.Code.configurationInvalid.rawValue,
            detail: problems.first ?? (actor == nil ? "by a signal" : nil),
            by: actor
        )
    }
}
