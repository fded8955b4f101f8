internal import TokenBroker

extension Field {
    /// A block of `tokens:`.
    ///
    /// - Parameters:
    ///   - providers: the blocks that its `provider` may name.
    ///   - kinds: what those of them that could be read are.
    func token(
        named name: Name,
        providers: Blocks,
        kinds: [Name: ProviderKind],
        maxLifetime: Duration,
        grantRules: GrantRules
    ) -> TokenDefinition? {
        mapping { reader in
            let provider = reader.required("provider").flatMap { providers.reference($0, to: "provider") }
            let refresh = reader.optional("refresh")?.choice(of: RefreshMode.self) ?? .ahead
            let lifetime = reader.optional("default_lifetime")?.duration(in: .seconds(1)...maxLifetime)
            let allow = reader.optional("allow")
            let grants = allow?.list { $0.grant(grantRules) } ?? []
            var options = Options()
            if let kind = provider.flatMap({ kinds[$0] }) {
                options = reader.options(kind.tokenOptions)
            } else {
                reader.tolerateRest()
            }
            if allow == nil || allow?.isEmptyList == true {
                warn("nobody may fetch it: no allow")
            }
            guard let provider else { return nil }
            return TokenDefinition(
                name: name,
                provider: provider,
                refresh: refresh,
                defaultLifetime: lifetime,
                grants: grants,
                options: options
            )
        }
    }
}
