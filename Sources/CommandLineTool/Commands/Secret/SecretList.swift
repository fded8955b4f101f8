internal import JSON

/// The secrets as a table: a line for each version that still counts.
enum SecretList {
    static func report(_ answer: JSONValue, _ surroundings: Surroundings) -> Report {
        let secrets = answer["secrets"]?.array ?? []
        guard !secrets.isEmpty else { return .text([], notes: ["no secret is configured"]) }
        var table = TextTable(["NAME", "SOURCE", "VERSION", "STATE", "AGE", "KEY", "TOKENS"])
        for secret in secrets { append(secret, to: &table, now: surroundings.now) }
        return .text(table.lines(usesColour: surroundings.usesColour))
    }

    private static func append(_ secret: JSONValue, to table: inout TextTable, now: Int64) {
        let names = secret["tokens"]?.array?.compactMap(\.scalarText) ?? []
        let tokens = names.isEmpty ? "-" : names.joined(separator: " ")
        let versions = SecretVersionFacts.all(of: secret).filter(\.counts)
        let remarks = remarks(of: secret)
        if versions.isEmpty {
            let cells = ["-", "-", "-", "-", tokens].map { TextTable.Cell($0) }
            table.append([.init(secret["name"]), .init(secret["source"])] + cells, notes: remarks)
        }
        for (index, version) in versions.enumerated() {
            table.append(
                [
                    .init(secret["name"]),
                    .init(secret["source"]),
                    .init(version.number),
                    .init(stateOf: version),
                    .init(version.givenAt.map { RelativeTime.text($0, now: now) } ?? "-"),
                    .init(version.fingerprint),
                    .init(tokens),
                ],
                notes: notes(on: version, now: now) + (index == versions.count - 1 ? remarks : [])
            )
        }
    }

    private static func notes(on version: SecretVersionFacts, now: Int64) -> [String] {
        let refusal = version.refusal.map { "not taken: \($0)" }
        let end = version.retiresAt.map { "retires \(RelativeTime.text($0, now: now))" }
        return [refusal, end, key(of: version)].compactMap(\.self)
    }

    private static func key(of version: SecretVersionFacts) -> String? {
        guard let key = version.key else { return nil }
        guard let revocation = version.revocation else { return "the key \(key)" }
        return "the key \(key) is not revoked yet" + (revocation.text.map { ": \($0)" } ?? "")
    }

    private static func remarks(of secret: JSONValue) -> [String] {
        var remarks = [secret["problem"]?.scalarText].compactMap(\.self)
        if let text = secret["trial"].map(SecretTrialFacts.init)?.text {
            remarks.append("last attempt to prove it: \(text)")
        }
        return remarks
    }
}

extension TextTable.Cell {
    /// Green is in force, yellow waits for the next step, red for somebody.
    fileprivate init(stateOf version: SecretVersionFacts) {
        let colour: Colour? =
            switch version.state {
            case "active": .green
            case "staged", "verified": version.refusal == nil ? .yellow : .red
            default: nil
            }
        self.init(version.state, colour: colour)
    }
}
