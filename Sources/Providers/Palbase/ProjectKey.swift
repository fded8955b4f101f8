internal import TokenBroker

/// A project's key: `pb_`, the project's ref, `_`, a letter for what it may do, and what makes it hard to guess.
///
/// Source: palgroup/palbase-cli, internal/apikey/apikey.go.
struct ProjectKey {
    enum Scope: Character {
        /// What every copy of an app carries: public.
        case publishable = "c"
        /// Acts for the whole project.
        case service = "s"
    }

    static let prefix = "pb_"

    /// What is said of a key of the wrong kind.
    static let publishableWanted =
        "beside a session the secret is the project's publishable key, pb_REF_c…, and this is none"
    static let serviceWanted =
        "without a session the secret is the project's service key, pb_REF_s…, and this is none"

    let text: String
    let scope: Scope

    /// - Returns: nil for what is not recognisably one.
    init?(_ secret: Secret) {
        let text = secret.withBytes { String(decoding: $0, as: UTF8.self) }
        guard text.utf8.allSatisfy(isKeyByte), text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "_", maxSplits: 1)
        guard parts.count == 2, parts[1].count > 1, let scope = parts[1].first.flatMap(Scope.init) else { return nil }
        self.text = text
        self.scope = scope
    }
}

private func isKeyByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte)
}
