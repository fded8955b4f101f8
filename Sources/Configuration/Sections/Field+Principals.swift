internal import TokenBroker

extension Field {
    /// `operators:` or `observers:`.
    func principals(_ accounts: any Accounts) -> [AdminPrincipal]? {
        list { entry in
            entry.mapping { reader in
                let user = reader.optional("user")
                let group = reader.optional("group")
                return entry.principal(user, group, accounts)
            }
        }
    }

    /// The conditions on a peer of one entry. An entry without any is an error: it would hold for everyone.
    ///
    /// - Returns: nil as well when one of two cannot be read: the other alone would let more in than was meant.
    func principal(_ user: Field?, _ group: Field?, _ accounts: any Accounts) -> AdminPrincipal? {
        guard user != nil || group != nil else {
            return refusingBlock("needs 'user' or 'group': without a condition it would hold for everyone")
        }
        let uid = user?.user(accounts)
        let gid = group?.group(accounts)
        guard (uid == nil) == (user == nil), (gid == nil) == (group == nil) else { return nil }
        return AdminPrincipal(user: uid, group: gid)
    }
}
