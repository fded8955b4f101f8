internal import JSON

/// What `secret rotate NAME --create` would do, as numbered lines.
struct SecretCreationPlan {
    private let answer: JSONValue

    /// - Parameter answer: the broker's to the question.
    init(_ answer: JSONValue) {
        self.answer = answer
    }

    var report: Report {
        let steps = answer["steps"]?.array?.compactMap { $0["detail"]?.scalarText } ?? []
        let lines = steps.enumerated().map { "  \($0 + 1). \($1)" }
        let head = "\(answer["name"]?.scalarText ?? "-"): nothing is done now; --create alone would"
        return .text(([head] + lines).map(PrintableText.escaped))
    }
}
