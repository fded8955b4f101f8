internal import HTTPWire
internal import JSON
internal import TokenBroker

/// What is asked of the broker about one secret.
struct SecretRequest: Equatable, Sendable {
    enum Step: String {
        case create
        case stage
        case verify
        case promote
        case rollback
        case retire
    }

    let socketPath: String
    let name: String
    let printsJSON: Bool
    /// Seconds since 1970 when the command began.
    let now: Int64

    /// A proof, and the making of a key, takes as long as the provider does: the broker gives its answer before the connection is given up.
    private static let proofSeconds = 50

    init(_ invocation: Invocation, _ surroundings: Surroundings) throws(CommandFailure) {
        socketPath = BrokerSocket.admin.path(invocation, surroundings)
        name = try invocation.secretName()
        printsJSON = invocation.has(.json)
        now = surroundings.now
    }

    /// Reads the value from standard input.
    static func value(for name: String, _ surroundings: Surroundings) throws(CommandFailure) -> Secret {
        let text = try surroundings.readSecret("New value of \(Quotation.bare(name)): ")
        guard !["", "\n", "\r\n"].contains(where: { text.elementsEqual($0.utf8) }) else {
            throw .usage(
                "the value is empty",
                hint: "It comes on standard input: '\(Installation.program) secret rotate NAME < FILE'."
            )
        }
        return Secret(text)
    }

    func stage(_ value: Secret) throws(CommandFailure) -> JSONValue {
        try ask(.stage, headers: [("Content-Type", "text/plain")], body: value.withBytes { Array($0) })
    }

    /// - Parameter query: with its mark.
    func ask(_ step: Step, query: String = "") throws(CommandFailure) -> JSONValue {
        let asksProvider = step == .verify || step == .create
        return try ask(step, query: query, headers: asksProvider ? [("Prefer", "wait=\(Self.proofSeconds)")] : [])
    }

    private func ask(
        _ step: Step,
        query: String = "",
        headers: [(String, String)],
        body: [UInt8] = []
    ) throws(CommandFailure) -> JSONValue {
        let target = "/v1/secrets/\(name)/\(step.rawValue)\(query)"
        return try Broker(.admin, path: socketPath).ask(target, .post, headers: headers, body: body)
    }

    func outcome(_ answer: JSONValue) -> Outcome {
        .report(report(answer))
    }

    func report(_ answer: JSONValue) -> Report {
        printsJSON ? answer.report : .text(SecretNews(answer, now: now).lines.map(PrintableText.escaped))
    }
}
