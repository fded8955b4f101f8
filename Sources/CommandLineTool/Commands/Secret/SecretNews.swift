internal import JSON

/// What a step in the life of a secret came to, and what can be done next.
struct SecretNews {
    private let answer: JSONValue
    private let now: Int64
    private let name: String
    private let versions: [SecretVersionFacts]

    /// - Parameter answer: the broker's to the step.
    init(_ answer: JSONValue, now: Int64) {
        self.answer = answer
        self.now = now
        name = answer["name"]?.scalarText ?? "-"
        versions = SecretVersionFacts.all(of: answer)
    }

    var number: String { answer["version"]?.scalarText ?? "-" }
    private var state: String? { answer["state"]?.scalarText }
    private var isManaged: Bool { answer["source"]?.scalarText == "managed" }
    private var isKnown: Bool? { answer["known"]?.bool }
    private var stepped: SecretVersionFacts? { versions.first { $0.number == number } }

    /// Whether what was staged is what is minted with now: there is nothing to verify or promote.
    var isInForce: Bool { state == "active" }

    /// The number of the version in force, where there is one.
    var active: String? { versions.first { $0.state == "active" }?.number }

    /// The version that was stepped, to be spoken of.
    var title: String { "version \(number)" + (stepped.map { " (\($0.fingerprint))" } ?? "") }

    var lines: [String] {
        if let retired = answer["retired"]?.array?.compactMap(\.scalarText) {
            return ["\(name): retired and wiped: version \(retired.joined(separator: ", "))"]
        }
        switch (isKnown, state) {
        case (true, "active"): return ["\(name): this is \(title), which is in force already"]
        case (true, _): return ["\(name): this is \(title), which is \(state ?? "-") already"] + next
        case (false, "active"): return ["\(name): \(title) is in force at once: it is the first value, not proven yet"]
        case (_, "active"): return ["\(name): \(title) is in force"] + replaced + uses
        default: return ["\(name): \(title) is \(state ?? "-")"] + next
        }
    }

    private var next: [String] {
        guard isManaged else {
            return state == "verified" ? ["It comes into force by itself."] : []
        }
        switch state {
        case "staged": return ["Next: \(command("verify"))"]
        case "verified": return ["Next: \(command("promote"))"]
        default: return []
        }
    }

    /// What becomes of the version that was in force before.
    private var replaced: [String] {
        guard let number = answer["replaced"]?.scalarText else { return [] }
        guard let before = versions.first(where: { $0.number == number }) else { return [] }
        switch before.state {
        case "retiring":
            let end = before.retiresAt.map { " \(RelativeTime.text($0, now: now))" } ?? ""
            return ["Version \(number) retires\(end); until then this goes back to it: \(command("rollback"))"]
                + revocation(of: before, "then, by itself")
        case "retired":
            return ["Version \(number) is wiped; there is no way back to it."]
                + revocation(of: before, "within seconds, by itself")
        default:
            // One that was gone back from waits as a candidate that is not taken.
            guard isManaged else { return ["Version \(number) is not used any more."] }
            let effect = before.key.map { "revokes its key \($0)" } ?? "wipes it"
            return ["Version \(number) is not used any more. This \(effect): \(command("retire"))"]
        }
    }

    /// What becomes of the replaced version at the provider, where that is the broker's affair at all.
    private func revocation(of before: SecretVersionFacts, _ time: String) -> [String] {
        if let key = before.key { return ["Its key \(key) is revoked \(time)."] }
        guard stepped?.key != nil else { return [] }
        return ["Version \(before.number) was not made by the broker: revoke it at the provider yourself after that."]
    }

    /// What becomes of the tokens: minted ones are refreshed, and where the key itself is the credential it is another now.
    private var uses: [String] {
        let tokens = names("tokens")
        guard !tokens.isEmpty else { return ["No token is minted with it."] }
        let credentials = names("credential_of")
        let minted = tokens.filter { !credentials.contains($0) }
        let uses = [("Handed out at once", credentials), ("Refreshed \(span)", minted)]
        return uses.filter { !$0.1.isEmpty }.map { "\($0): \($1.joined(separator: ", "))" }
    }

    private func names(_ member: String) -> [String] {
        answer[member]?.array?.compactMap(\.scalarText) ?? []
    }

    /// Over how long tokens of the version before are refreshed.
    private var span: String {
        if answer["urgent"]?.bool == true { return "within seconds" }
        guard let drain = answer["drain_seconds"]?.number?.int64 else { return "over a quarter of their lifetimes" }
        return "over \(RelativeTime.length(drain.magnitude))"
    }

    private func command(_ step: String) -> String {
        "\(Installation.program) secret \(step) \(name)"
    }
}
