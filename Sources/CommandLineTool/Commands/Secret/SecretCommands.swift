internal import HTTPWire
internal import JSON

extension Command {
    static let secretList = Command(
        words: ["secret", "list"],
        options: [.json],
        socket: .admin,
        summary: "list the long-lived keys and their versions",
        details: [
            "Each version with its state, its age, the beginning of its fingerprint and the tokens it is for; never a value. "
                + "What is wrong stands below. For root and operators."
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let answer = try Broker(invocation, surroundings).ask("/v1/secrets")
            return .report(invocation.has(.json) ? answer.report : SecretList.report(answer, surroundings))
        }
    )

    static let secretStage = Command(
        words: ["secret", "stage"],
        operands: [Operand("NAME")],
        options: [.json],
        socket: .admin,
        summary: "give a managed key its next value, on standard input",
        details: [
            "Nothing is minted with it before it is verified and promoted; the first value ever is in force at once. One "
                + "line end behind the value is not part of it. From a terminal the value is read without being shown.",
            forOperators,
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let request = try SecretRequest(invocation, surroundings)
            let value = try SecretRequest.value(for: request.name, surroundings)
            return request.outcome(try request.stage(value))
        }
    )

    static let secretVerify = Command(
        words: ["secret", "verify"],
        operands: [Operand("NAME")],
        options: [.json],
        socket: .admin,
        summary: "have the provider say whether it takes the staged value",
        details: ["What is in force stays in force, whatever comes of it.", forOperators],
        run: step(.verify)
    )

    static let secretPromote = Command(
        words: ["secret", "promote"],
        operands: [Operand("NAME")],
        options: [.final, .json],
        socket: .admin,
        summary: "mint with the verified value from now on",
        details: [
            "The value before it is kept while tokens minted with it live, and 'secret rollback' goes back to it. With "
                + "--final, for a key that leaked, it is wiped at once and its tokens are replaced within seconds.",
            forOperators,
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let request = try SecretRequest(invocation, surroundings)
            return request.outcome(try request.ask(.promote, query: invocation.has(.final) ? "?final=1" : ""))
        }
    )

    static let secretRollback = Command(
        words: ["secret", "rollback"],
        operands: [Operand("NAME")],
        options: [.json],
        socket: .admin,
        summary: "mint with the value before again",
        details: ["Possible until that one is retired.", forOperators],
        run: step(.rollback)
    )

    static let secretRetire = Command(
        words: ["secret", "retire"],
        operands: [Operand("NAME")],
        options: [.json],
        socket: .admin,
        summary: "wipe the values that were replaced",
        details: ["There is no way back to them then.", forOperators],
        run: step(.retire)
    )

    static let secretRotate = Command(
        words: ["secret", "rotate"],
        operands: [Operand("NAME")],
        options: [.create, .dryRun, .json],
        socket: .admin,
        summary: "stage, verify and promote the value on standard input, or one that the provider makes",
        details: [
            "Tells each step on standard error. A value that the provider refuses changes nothing; a provider that cannot "
                + "be reached is tried again for a minute, and the value then stays staged. From a terminal the value is "
                + "read without being shown.",
            "With --create the provider makes the new key, where its block in the configuration has 'management:', and nobody "
                + "gets to see it. The one before is revoked at the provider when it has retired; until that is done, "
                + "'secret list' shows it. A new key that the provider refuses is revoked, too. --dry-run says what would be "
                + "done, and does nothing.",
            forOperators,
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let request = try SecretRequest(invocation, surroundings)
            guard invocation.has(.create) else {
                guard !invocation.has(.dryRun) else { throw .usage("--dry-run goes with --create") }
                let value = try SecretRequest.value(for: request.name, surroundings)
                return .rotate(Rotation(request: request, origin: .given(value)))
            }
            guard invocation.has(.dryRun) else { return .rotate(Rotation(request: request, origin: .created)) }
            let answer = try request.ask(.create, query: "?dry_run=1")
            return .report(invocation.has(.json) ? answer.report : SecretCreationPlan(answer).report)
        }
    )

    private static let forOperators = "For root and operators."

    private static func step(
        _ step: SecretRequest.Step
    ) -> @Sendable (Invocation, Surroundings) throws(CommandFailure) -> Outcome {
        { (invocation, surroundings) throws(CommandFailure) in
            let request = try SecretRequest(invocation, surroundings)
            return request.outcome(try request.ask(step))
        }
    }
}

extension CommandOption {
    static let final = CommandOption("--final", "the value before must not be used any more: wipe it at once")
    static let create = CommandOption("--create", "have the provider make the new key")
    static let dryRun = CommandOption("--dry-run", "say what --create would do, and do nothing")
}
