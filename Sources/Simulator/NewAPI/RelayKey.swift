/// A key of the relay, by which a client is charged.
struct RelayKey {
    /// Without its `sk-`, as the service keeps it.
    let text: String
    /// What the management API calls it.
    let id: Int64
    var name: String
    var isEnabled = true
    /// Nil where it has no end.
    var expiresAtSeconds: Int64?
    /// Unsigned use is refused: the flag "iOS Authentication" of the key.
    var isSignatureRequired: Bool
    /// The bundle ids that may use it; any, where there is none.
    var bundles: Set<String>
    /// The nonces that came, each until the last instant at which its timestamp would be taken.
    var nonces: [String: Int64] = [:]

    func isUsable(nowMilliseconds: Int64) -> Bool {
        isEnabled && expiresAtSeconds.map { nowMilliseconds / 1000 < $0 } ?? true
    }

    /// What the service takes for the key in the text of a credential: `sk-` is dropped, and what follows the first dash
    /// names a channel.
    static func text(in credential: String) -> String {
        let bare = credential.hasPrefix("sk-") ? credential.dropFirst(3) : credential[...]
        return String(bare.prefix { $0 != "-" })
    }
}
