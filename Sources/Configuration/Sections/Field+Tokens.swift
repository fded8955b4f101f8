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
        accounts: any Accounts
    ) -> TokenDefinition? {
        mapping { reader in
            let provider = reader.required("provider").flatMap { providers.reference($0, to: "provider") }
            let refresh = reader.optional("refresh")?.choice(of: RefreshMode.self) ?? .ahead
            let lifetime = reader.optional("default_lifetime")?.duration(in: .seconds(1)...maxLifetime)
            let allow = reader.optional("allow")
            let grants = allow?.list { $0.grant(accounts) } ?? []
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

    private var isEmptyList: Bool {
        if case .sequence(let elements) = node.content { elements.isEmpty } else { false }
    }

    /// An entry of `allow:`.
    private func grant(_ accounts: any Accounts) -> Grant? {
        mapping { reader in
            let user = reader.optional("user")
            let group = reader.optional("group")
            let surfaces = reader.optional("only").map { $0.surfaces() } ?? Set(Surface.allCases)
            let isUnsupported = ["unit", "executable"].map {
                reader.refuse($0, "not supported in this version: use user or group")
            }
            guard !isUnsupported.contains(true), let principal = principal(user, group, accounts), let surfaces else {
                return nil
            }
            return Grant(user: principal.user, group: principal.group, surfaces: surfaces)
        }
    }

    private func surfaces() -> Set<Surface>? {
        guard let surfaces = list({ $0.choice(of: Surface.self) }) else { return nil }
        // Of a word that was reported nothing is left either, and one error is enough.
        if isEmptyList { return refusing("names nothing: leave it out for all") }
        return Set(surfaces)
    }
}
