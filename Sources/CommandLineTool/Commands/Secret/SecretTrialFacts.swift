internal import JSON

/// How the attempts at something go that the broker tries again by itself.
struct SecretTrialFacts {
    private let trial: JSONValue

    init(_ trial: JSONValue) {
        self.trial = trial
    }

    /// Why the last attempt failed, and when the next one is; nil where none has failed.
    var text: String? {
        guard let error = trial["last_error"], let code = error["code"]?.scalarText else { return nil }
        let next = trial["next_attempt_in"]?.number?.int64
        let again = next.map { ", again \(RelativeTime.text(secondsFromNow: $0))" } ?? ""
        let detail = error["detail"]?.scalarText.map { ": \($0)" } ?? ""
        return "\(code)\(detail)\(again)"
    }
}
