internal import TokenBroker

/// A block of `providers:` with the kind that its tokens' options are judged by.
struct ProviderBlock {
    let kind: ProviderKind
    let options: Options
    /// Nil where the rest of the block is at fault.
    let definition: ProviderDefinition?
}

extension ProviderBlock {
    /// The secrets that it spends, with the options that name them.
    private var spends: [(option: String, secret: String)] {
        kind.providerOptions.compactMap { declaration in
            guard case .singleUseSecret = declaration.type else { return nil }
            return options[declaration.name].map { (declaration.name, $0) }
        }
    }

    /// Refuses blocks that would spend what another one spends: whoever comes second finds it spent.
    ///
    /// - Parameter fields: where the blocks stand.
    static func refuseSharedSpending(_ blocks: [Name: ProviderBlock], _ fields: [Name: Field]) {
        var spenders: [String: Name] = [:]
        for (name, block) in blocks.sorted(by: { $0.key < $1.key }) {
            for (option, secret) in block.spends {
                if let other = spenders[secret] {
                    fields[name]?.refuseBlock(
                        "\(option): the provider \(other.text) spends this secret already, and it can be spent once"
                    )
                } else {
                    spenders[secret] = name
                }
            }
        }
    }
}

extension Field {
    private static let timeouts: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    private static let defaultTimeout: Duration = .seconds(10)

    /// A block of `providers:`.
    ///
    /// - Returns: nil when the kind cannot be told.
    func provider(
        named name: Name,
        secrets: Blocks,
        kinds: [String: ProviderKind],
        files: FileRule
    ) -> ProviderBlock? {
        mapping { reader in
            guard let kind = reader.required("kind")?.providerKind(of: kinds) else {
                reader.tolerateRest()
                return nil
            }
            let baseURL = reader.baseURL(for: kind)
            let secret = reader.required("secret").flatMap { secrets.reference($0, to: "secret") }
            let timeout = reader.optional("timeout")?.duration(in: Self.timeouts) ?? Self.defaultTimeout
            let trust = reader.optional("tls")?.trust(files)
            let management = OptionDeclaration.management.name
            let options = reader.options(kind.providerOptions, secrets: secrets)
            if let fault = kind.fault(provider: options) { refuseBlock(fault) }
            let decoration = reader.decoration()
            guard let baseURL = baseURL ?? kind.derivedAddress(options), let secret else {
                return ProviderBlock(kind: kind, options: options, definition: nil)
            }
            let definition = ProviderDefinition(
                name: name,
                kind: kind.name,
                baseURL: baseURL,
                secret: secret,
                timeout: timeout,
                trust: trust ?? TrustSettings(),
                options: options.without(management),
                secretsByOption: kind.secrets(in: options),
                management: options[management].flatMap(Name.init),
                decoration: decoration,
                pace: kind.pace(provider: options)
            )
            return ProviderBlock(kind: kind, options: options, definition: definition)
        }
    }

    private func providerKind(of kinds: [String: ProviderKind]) -> ProviderKind? {
        guard let text = text("a kind of provider") else { return nil }
        if let kind = kinds[text] { return kind }
        let known = kinds.keys.sorted()
        let what = Quotation(text).map { "unknown kind \($0)" } ?? "unknown kind"
        let hint = NearMiss.hint(for: text, among: known)
        return refusing("\(what)\(hint.isEmpty ? ";" : hint) known kinds: \(known.joined(separator: ", "))")
    }
}

extension MappingReader {
    /// - Returns: nil where it is at fault, and where the kind's options have to tell it.
    fileprivate mutating func baseURL(for kind: ProviderKind) -> String? {
        switch kind.address {
        case .publicService(let address):
            guard let field = optional("base_url") else { return address }
            return field.baseURL()
        case .key(let key):
            return requiredAddress(key, of: kind)?.baseURL()
        case .endpoint(let key):
            return requiredAddress(key, of: kind)?.baseURL(isEndpoint: true)
        case .derived:
            return optional("base_url")?.baseURL()
        }
    }

    private mutating func requiredAddress(_ key: String, of kind: ProviderKind) -> Field? {
        required(key, because: "kind \(kind.name) has no public address")
    }

    fileprivate mutating func decoration() -> RequestDecoration {
        RequestDecoration(
            appIdentifier: optional("app_identifier")?.headerValue(),
            headers: optional("headers")?.headers() ?? []
        )
    }
}

extension ProviderKind {
    fileprivate func derivedAddress(_ options: Options) -> String? {
        guard case .derived(let option, let make) = address else { return nil }
        return options[option].map(make)
    }

    fileprivate func secrets(in options: Options) -> [String: Name] {
        let pairs = providerOptions.compactMap { declaration -> (String, Name)? in
            switch declaration.type {
            case .secret, .singleUseSecret:
                return options[declaration.name].flatMap(Name.init).map { (declaration.name, $0) }
            default: return nil
            }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
