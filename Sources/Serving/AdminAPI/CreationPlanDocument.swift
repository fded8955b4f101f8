internal import JSON
internal import TokenBroker

/// What having a provider make the next value of a secret would come to, step by step, for people and for scripts.
struct CreationPlanDocument {
    private let name: Name
    private let plan: CreationPlan

    init(_ plan: CreationPlan, for name: Name) {
        self.name = name
        self.plan = plan
    }

    var json: JSONObject {
        var document: JSONObject = [
            "name": .string(name.text),
            "dry_run": true,
            "provider": .string(plan.account.name.text),
            "kind": .string(plan.account.kind),
        ]
        document["management"] = plan.account.management.map { .string($0.text) }
        document["replaces"] = plan.active.map { .number(JSONNumber($0.number.number)) }
        document["tokens"] = .array(plan.tokens.map { .string($0.text) })
        document["steps"] = .array(
            steps.map { step, detail in ["step": .string(step), "detail": .string(detail)] }
        )
        return document
    }

    private var steps: [(String, String)] {
        leftovers + [create, ("stage", staging)] + (plan.active.map(replacement) ?? [])
    }

    private var leftovers: [(String, String)] {
        plan.owed.compactMap(\.issued).map { ("revoke", "revoke \($0.text), which nothing uses any more") }
    }

    private var create: (String, String) {
        // How the label ends is chance's, another time for each.
        let label = plan.label.split(separator: "-").dropLast().joined(separator: "-")
        return ("create", "have \(plan.account.name) (\(plan.account.kind)) make a key, called \(label)-…")
    }

    private var staging: String {
        guard plan.active != nil else { return "put it in force at once: it is the first value" }
        let replaced = plan.candidate.map { " in place of version \($0.number.number), which is not used then" } ?? ""
        return "stage it\(replaced)"
    }

    private func replacement(of active: SecretVersion) -> [(String, String)] {
        let number = active.number.number
        let tokens = plan.tokens.isEmpty ? "nothing yet" : plan.tokens.map(\.text).joined(separator: ", ")
        return [
            ("verify", "ask the provider whether it takes it; if not, revoke it, and version \(number) stays in force"),
            ("promote", "mint with it from then on: \(tokens)"),
            (
                "wait",
                "keep version \(number), to go back to, until its tokens have ended: "
                    + "as things are now \(plan.retiresAt.rfc3339)"
            ),
            ("revoke", end(of: active)),
        ]
    }

    private func end(of active: SecretVersion) -> String {
        guard let key = active.issued else {
            return "revoke version \(active.number.number) at the provider yourself: the broker did not make it, and "
                + "does not know what it is called there"
        }
        return "revoke \(key.text)"
    }
}
