/// Until when tokens live that were minted with an account's key.
///
/// What has left the cache counts on: an app may hold it, and the key it was minted with is not to end before it. Of
/// earlier runs what the store brought back is known, and not what was replaced or dropped there.
struct KeyUses {
    private var ends: [Name: [SecretVersionNumber: BootInstant]] = [:]

    /// The token is one of the account's.
    mutating func note(_ token: ServedToken, at account: Name) {
        guard let version = token.secretVersion, !token.isEndless else { return }
        let end = ends[account]?[version] ?? token.bootDeadline
        ends[account, default: [:]][version] = max(end, token.bootDeadline)
    }

    /// The end of the last token of a version, or of all of them; nil where there was none.
    func end(of account: Name, _ version: SecretVersionNumber?) -> BootInstant? {
        guard let version else { return ends[account]?.values.max() }
        return ends[account]?[version]
    }
}

/// What is left of the tokens minted with a key.
struct SecretUse: Equatable {
    /// When the last token ends; nil where only the key itself is in use.
    let lastEnd: BootInstant?
    /// Whether the key itself is the credential of a token.
    let isCredential: Bool
}
