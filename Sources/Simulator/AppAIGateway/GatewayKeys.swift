/// The API keys of every app. An app may have any number that work at once: that is how they are rotated.
struct GatewayKeys {
    struct Key {
        /// Not a secret: `key_` and 20 letters or digits.
        let id: String
        let app: String
        let name: String
        /// `agw_` and 48 letters or digits.
        let text: String
        let createdAtMilliseconds: Int64
        var isRevoked = false
        var lastUsedAtMilliseconds: Int64?

        /// What is shown of the key.
        var prefix: String { String(text.prefix(12)) }
    }

    /// An hour: the service does not write down every use.
    private static let useGranularityMilliseconds: Int64 = 3_600_000
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// In the order in which they were made.
    private(set) var all: [Key] = []

    /// Two keys for every app, the same at every start.
    static let examples: GatewayKeys = {
        var keys = GatewayKeys()
        for app in GatewayApp.examples {
            for number in ["1", "2"] {
                let letters = app.id.filter { $0 != "-" } + "key" + number
                keys.all.append(
                    Key(
                        id: "key_" + letters.suffix(20).padded(to: 20),
                        app: app.id,
                        name: "example \(number)",
                        text: "agw_" + letters.padded(to: 48),
                        createdAtMilliseconds: 0
                    )
                )
            }
        }
        return keys
    }()

    static func isWellFormed(_ text: String) -> Bool {
        text.wholeMatch(of: #/agw_[0-9A-Za-z]{48}/#) != nil
    }

    /// The key, where it is one of that app and not revoked; it has been used then.
    mutating func use(_ text: String, of app: String, nowMilliseconds: Int64) -> Key? {
        guard let index = all.firstIndex(where: { $0.text == text && $0.app == app && !$0.isRevoked }) else {
            return nil
        }
        if nowMilliseconds - (all[index].lastUsedAtMilliseconds ?? 0) >= Self.useGranularityMilliseconds {
            all[index].lastUsedAtMilliseconds = nowMilliseconds
        }
        return all[index]
    }

    /// Whether a token that was minted from that key still works.
    func isActive(id: String) -> Bool {
        all.contains { $0.id == id && !$0.isRevoked }
    }

    /// Makes a key that nobody knows yet.
    mutating func make(for app: String, name: String, nowMilliseconds: Int64) -> Key {
        let letters = (0..<48).map { _ in Self.letters[Int.random(in: Self.letters.indices)] }
        return add("agw_" + String(letters), to: app, name: name, nowMilliseconds: nowMilliseconds)
    }

    /// Adds a key, which no app may have yet.
    @discardableResult
    mutating func add(_ text: String, to app: String, name: String, nowMilliseconds: Int64 = 0) -> Key {
        let id = "key_" + RandomText.hexadecimal(bytes: 10)
        let key = Key(id: id, app: app, name: name, text: text, createdAtMilliseconds: nowMilliseconds)
        all.append(key)
        return key
    }

    /// Revokes the first key that is meant, or makes it work again.
    ///
    /// - Returns: The key as it is now; nil where none is meant.
    mutating func setRevoked(_ isRevoked: Bool, where isMeant: (Key) -> Bool) -> Key? {
        guard let index = all.firstIndex(where: isMeant) else { return nil }
        all[index].isRevoked = isRevoked
        return all[index]
    }
}

extension StringProtocol {
    fileprivate func padded(to length: Int) -> String {
        self + String(repeating: "0", count: Swift.max(length - count, 0))
    }
}
