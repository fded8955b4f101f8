internal import TokenBroker

extension Field {
    /// How long a replaced value may be kept, or its tokens be refreshed.
    private static let drains: ClosedRange<Duration> = .zero ... .seconds(30 * 86400)

    /// A block of `secrets:`.
    ///
    /// - Parameter hasStore: whether there is where a managed value can be kept.
    func secret(named name: Name, hasStore: Bool) -> SecretDefinition? {
        mapping { reader in
            let drain = reader.optional("drain")?.duration(in: Self.drains)
            guard let source = reader.secretSource(hasStore: hasStore) else { return nil }
            return SecretDefinition(name: name, source: source, drain: drain)
        }
    }
}

extension MappingReader {
    fileprivate mutating func secretSource(hasStore: Bool) -> SecretDefinition.Source? {
        let file = optional("file")
        let credential = optional("credential")
        let managed = optional("managed")
        let sources = [file, credential, managed].compactMap(\.self)
        guard sources.count == 1 else {
            let fault =
                sources.isEmpty
                ? "needs 'file', 'credential' or 'managed: true'"
                : "has more than one of 'file', 'credential' and 'managed': a secret has one source"
            return field.refusingBlock(fault)
        }
        if let file { return file.absolutePath().map { .file(path: $0) } }
        if let credential { return credential.credentialName().map { .credential(name: $0) } }
        return managed?.managedSource(hasStore: hasStore)
    }
}

extension Field {
    fileprivate func managedSource(hasStore: Bool) -> SecretDefinition.Source? {
        guard let isManaged = boolean() else { return nil }
        guard isManaged else { return refusing("a secret that is not managed needs 'file' or 'credential'") }
        guard hasStore else { return refusing("a managed secret is kept in the store: configure 'store'") }
        return .managed
    }
}
