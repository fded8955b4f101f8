/// What is known of a key that a provider made for us, and by which it is found and revoked there.
public struct IssuedKey: Equatable, Sendable {
    /// The account whose key API made it.
    public let account: Name
    /// What we called it there. No other key is called so, which is how one is found whose id was lost.
    public let label: String
    /// Written down before the provider was asked.
    public let requestedAt: WallInstant
    /// The provider's id; nil while its answer is not there, and for ever where it got lost.
    public internal(set) var id: String?
    /// Since when it certainly does not work any more.
    public internal(set) var revokedAt: WallInstant?

    public init(
        account: Name,
        label: String,
        requestedAt: WallInstant,
        id: String? = nil,
        revokedAt: WallInstant? = nil
    ) {
        self.account = account
        self.label = label
        self.requestedAt = requestedAt
        self.id = id
        self.revokedAt = revokedAt
    }

    /// In words for people.
    public var text: String {
        "\(label) at \(account)" + (id.map { " (\($0))" } ?? "")
    }

    /// For how long a request that nobody waits for any more may still come to something at the provider.
    static let longestRequest: Duration = .seconds(120)

    /// Whether the provider may still make it, though it is not there now.
    func mayStillAppear(at now: WallInstant) -> Bool {
        (.zero..<Self.longestRequest).contains(now.since(requestedAt))
    }
}

extension IssuedKey {
    /// How much of a secret's name goes into a label: new-api takes 50 characters in all.
    private static let shownOfName = 20

    /// A label that no other key has: it says whose it is, for which version, and ends with what chance makes of it.
    static func label(
        _ secret: Name,
        _ version: SecretVersionNumber,
        using random: inout some RandomNumberGenerator
    ) -> String {
        let digits = String(UInt32.random(in: .min ... .max, using: &random), radix: 16)
        let padded = String(repeating: "0", count: 8 - digits.utf8.count) + digits
        return "tokenbroker-\(secret.text.prefix(shownOfName))-\(version.number)-\(padded)"
    }
}
