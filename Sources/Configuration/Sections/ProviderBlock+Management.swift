internal import TokenBroker

extension ProviderBlock {
    /// Refuses a key of a key API that tokens are minted with too: it would be handed out, or be replaced by a key of
    /// another kind. Warns where there is nothing that a key could be made for.
    ///
    /// - Parameter fields: where the blocks stand.
    static func judgeManagement(
        _ blocks: [Name: ProviderBlock],
        _ secrets: [Name: SecretDefinition],
        _ fields: [Name: Field]
    ) {
        let accounts = blocks.values.compactMap(\.definition).sorted { $0.name < $1.name }
        for account in accounts {
            guard let management = account.management else { continue }
            let key = OptionDeclaration.management.name
            if let other = accounts.first(where: { $0.mintsWith(management) }) {
                fields[account.name]?.refuseBlock(
                    "\(key): the provider \(other.name) mints with this secret; the key of a key API is for nothing else"
                )
            } else if let secret = secrets[account.secret], secret.source != .managed {
                fields[account.name]?.warn(
                    "\(key): a key is made for a managed secret only, and \(secret.name) comes from elsewhere"
                )
            }
        }
    }
}

extension ProviderDefinition {
    fileprivate func mintsWith(_ name: Name) -> Bool {
        secret == name || secretsByOption.values.contains(name)
    }
}
