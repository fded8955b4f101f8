internal import TokenBroker

extension Field {
    /// A block of `tokens:`.
    ///
    /// - Parameters:
    ///   - providers: the blocks that its `provider` may name.
    ///   - sources: those of them that could be read.
    func token(
        named name: Name,
        providers: Blocks,
        sources: [Name: ProviderBlock],
        secrets: Blocks,
        maxLifetime: Duration,
        grantRules: GrantRules
    ) -> TokenDefinition? {
        mapping { reader in
            let provider = reader.required("provider").flatMap { providers.reference($0, to: "provider") }
            let refresh = reader.optional("refresh")
            let mode = refresh?.choice(of: RefreshMode.self)
            let lifetime = reader.optional("default_lifetime")?.duration(in: .seconds(1)...maxLifetime)
            let allow = reader.optional("allow")
            let grants = allow?.list { $0.grant(grantRules) } ?? []
            let endUserHeader = reader.optional("end_user_header")?.endUserHeaderName()
            let reveals = reader.optional("reveal_secret")
            guard let source = provider.flatMap({ sources[$0] }) else {
                reader.tolerateRest()
                return nil
            }
            let options = reader.options(source.kind.tokenOptions, secrets: secrets)
            let credential = source.kind.credential(provider: source.options, token: options)
            if let fault = source.kind.fault(provider: source.options, token: options) { refuseBlock(fault) }
            if let refresh, mode == .ahead, credential.user.hasOwnToken {
                refresh.refuse("each user has a token, which is minted when first asked for: leave it out")
            }
            if let reveals, !credential.isSecret {
                reveals.refuseBlock("this token is no long-lived secret: leave it out")
            }
            if allow == nil || allow?.isEmptyList == true {
                warn("nobody may fetch it: no allow")
            }
            guard let provider else { return nil }
            return TokenDefinition(
                name: name,
                provider: provider,
                refresh: mode ?? .ahead,
                credential: credential,
                revealsSecret: reveals?.boolean() ?? false,
                endUserHeader: endUserHeader,
                quotaCodes: source.kind.quotaCodes,
                defaultLifetime: lifetime,
                grants: grants,
                options: options
            )
        }
    }
}
