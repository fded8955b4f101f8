internal import JSON
internal import TokenBroker

extension Command {
    static let get = Command(
        words: ["get"],
        operands: [Operand("NAME")],
        options: [.field, .header, .json] + TokenRequest.options,
        socket: .apps,
        summary: "print a token",
        details: [
            "Prints the access token, or with --field one field of the broker's answer: \(GetCommand.fields). "
                + "A field that is null, as the times of a credential without an end are, is an empty line.",
            "The broker mints where it must, so the answer may take some seconds.",
        ],
        run: GetCommand.run
    )
}

private enum GetCommand {
    static let fields =
        "name, access_token, token_type, expires_at, expires_at_ms, expires_in, refresh_at, "
        + "generation, degraded"

    @Sendable static func run(
        _ invocation: Invocation,
        _ surroundings: Surroundings
    ) throws(CommandFailure) -> Outcome {
        let forms = [CommandOption.field, .header, .json].filter(invocation.has)
        if forms.count > 1 {
            throw .usage("\(forms[0].name) and \(forms[1].name) exclude each other")
        }
        let target = try TokenRequest.target(invocation)
        let answer = try Broker(invocation, surroundings).ask(target)
        return .report(try report(answer, invocation, isTerminal: surroundings.outputIsTerminal))
    }

    private static func report(
        _ answer: JSONValue,
        _ invocation: Invocation,
        isTerminal: Bool
    ) throws(CommandFailure) -> Report {
        if invocation.has(.json) { return answer.report }
        if let field = invocation[.field] {
            let text = try text(of: field, in: answer)
            return .text([isTerminal ? PrintableText.escaped(text) : text])
        }
        let token = try TokenRequest.accessToken(answer)
        return .text([invocation.has(.header) ? "Authorization: Bearer \(token)" : token])
    }

    private static func text(of field: String, in answer: JSONValue) throws(CommandFailure) -> String {
        guard let value = answer[field] else {
            let known = answer.object?.members.map(\.name) ?? []
            let guess = NearMiss.best(for: field, among: known).map { "; did you mean '\($0)'?" } ?? ""
            let quoted = Quotation(field)?.description ?? "of this name"
            throw .usage("the answer has no field \(quoted)\(guess)", hint: "It has: \(known.joined(separator: ", "))")
        }
        switch value {
        case .null: return ""
        case .array, .object: return String(decoding: value.serialized(), as: UTF8.self)
        case .string, .number, .bool: return value.scalarText ?? ""
        }
    }
}
