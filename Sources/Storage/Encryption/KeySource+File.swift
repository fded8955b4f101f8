internal import TokenBroker

extension StorageSettings.KeySource {
    /// - Throws: `keyUnusable` for a credential where the service manager passes none in.
    func file() throws(StoreError) -> KeyFile {
        switch self {
        case .file(let path):
            return KeyFile(path: path, isJudged: true)
        case .credential(let name, let directory?):
            return KeyFile(path: "\(directory)/\(name)", isJudged: false)
        case .credential(let name, nil):
            throw StoreError(
                .keyUnusable,
                "store key: there are no credentials: the unit needs LoadCredential=\(name):PATH"
            )
        }
    }
}
