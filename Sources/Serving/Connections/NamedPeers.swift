internal import TokenBroker

/// The peers that some grant could let in: they have connections of their own, and all others share a few.
///
/// A grant that names a user or a group names whoever that is, wherever the process runs; only one that names nothing
/// but a unit asks for more. Made once a definition, because it is asked at each new connection.
struct NamedPeers {
    private struct Group: Hashable {
        let group: UInt32
        /// The one user that the grant is for, as a member of the group.
        let user: UInt32?
    }

    private var users: Set<UInt32> = []
    private var groups: Set<Group> = []
    private var units: Set<String> = []

    init(of definition: BrokerDefinition) {
        let grants = definition.tokens.values.map(\.grants) + definition.routes.values.compactMap(\.grants)
        for grant in grants.joined() {
            if let group = grant.group {
                groups.insert(Group(group: group, user: grant.user))
            } else if let user = grant.user {
                users.insert(user)
            } else if let unit = grant.unit {
                units.insert(unit)
            }
        }
    }

    func contains(_ peer: Peer) -> Bool {
        if users.contains(peer.uid) || isNamed(peer, by: peer.gid) { return true }
        if peer.supplementaryGroups.contains(where: { isNamed(peer, by: $0) }) { return true }
        guard !units.isEmpty, let unit = peer.process?.look()?.unit else { return false }
        return units.contains(unit)
    }

    private func isNamed(_ peer: Peer, by group: UInt32) -> Bool {
        groups.contains(Group(group: group, user: nil)) || groups.contains(Group(group: group, user: peer.uid))
    }
}
