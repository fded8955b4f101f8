internal import JSON
internal import TokenBroker

/// One version of a secret, as the broker tells of it.
struct SecretVersionFacts {
    private let version: JSONValue

    init(_ version: JSONValue) {
        self.version = version
    }

    /// The versions of a secret, the newest first.
    static func all(of secret: JSONValue) -> [SecretVersionFacts] {
        (secret["versions"]?.array ?? []).reversed().map(SecretVersionFacts.init)
    }

    var number: String { version["version"]?.scalarText ?? "-" }
    var state: String { version["state"]?.scalarText ?? "-" }
    var fingerprint: String {
        let text = version["fingerprint"]?.scalarText ?? ""
        return text.isEmpty ? "-" : text
    }

    /// The key at its provider, where the provider made it for the broker.
    var key: String? {
        guard let issued = version["issued"], let name = issued["name"]?.scalarText else { return nil }
        let id = issued["id"]?.scalarText.map { " (\($0))" } ?? ""
        return "\(name) at \(issued["provider"]?.scalarText ?? "-")\(id)"
    }

    /// How it goes with revoking the key; nil where nothing is to be revoked.
    var revocation: SecretTrialFacts? { version["revocation"].map(SecretTrialFacts.init) }

    /// Whether there is still something to do about it.
    var counts: Bool { state != "retired" || revocation != nil }

    /// Why it was not taken.
    var refusal: String? { version["refusal"]?.scalarText }

    /// Seconds since 1970.
    var givenAt: Int64? { seconds("given_at") }
    var changedAt: Int64? { seconds("changed_at") }
    var retiresAt: Int64? { seconds("retires_at") }

    private func seconds(_ name: String) -> Int64? {
        version[name]?.string.flatMap { WallInstant(rfc3339: $0) }?.unixSeconds
    }
}
