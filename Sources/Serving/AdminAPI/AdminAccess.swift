internal import HTTPWire
internal import TokenBroker

/// Who may do what on the admin socket.
struct AdminAccess {
    enum Right {
        case operate
        /// May read status, health and metrics, and nothing else.
        case observe
    }

    let operators: [AdminPrincipal]
    let observers: [AdminPrincipal]

    /// - Returns: nil for a peer that has no business here.
    func right(of peer: Peer) -> Right? {
        if peer.uid == 0 { return .operate }
        // An observer stays one even where it also matches as an operator: the narrower right was meant for it.
        if observers.contains(where: { $0.matches(peer) }) { return .observe }
        return operators.contains { $0.matches(peer) } ? .operate : nil
    }

    /// Whether the request can have come from a web page that some proxy let through: another site's script must not
    /// reach this socket, whatever name it was made to resolve (DNS rebinding).
    static func isForeign(_ headers: HeaderFields) -> Bool {
        let host = headers.first("host")?.lowercased() ?? "localhost"
        guard host.prefix(while: { $0 != ":" }) == "localhost" else { return true }
        return headers.values("origin").contains { $0.lowercased() != "http://" + host }
    }
}
