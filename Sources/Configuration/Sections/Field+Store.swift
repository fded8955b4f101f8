extension Field {
    /// `store:`.
    func store() -> StoreSettings? {
        mapping { reader in
            let path = reader.optional("path")?.absolutePath() ?? StoreSettings.defaultPath
            let key = reader.required("key")?.keySource()
            let previousKey = reader.optional("previous_key")?.keySource()
            return key.map { StoreSettings(path: path, key: $0, previousKey: previousKey) }
        }
    }

    /// `credential:NAME` or `file:PATH`. The value is in no error: it may be the key itself.
    private func keySource() -> StoreSettings.KeySource? {
        let expectation = "credential:NAME or file:PATH"
        guard let text = text(expectation) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.last ?? "") {
        case ("file", let path) where path.hasPrefix("/") && !path.hasSuffix("/"): return .file(path: path)
        case ("credential", let name) where Self.isCredentialName(name): return .credential(name: name)
        default: return refusing("expected \(expectation)")
        }
    }
}
