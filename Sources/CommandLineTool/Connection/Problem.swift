internal import HTTPWire
internal import JSON

/// The broker's no (RFC 9457): a stable code and what to do about it.
struct Problem: Equatable, Sendable {
    let code: String
    let detail: String?
    /// Seconds after which it is worth another try.
    let retryAfter: Int64?
    /// What the provider had answered, where one did.
    let provider: [String]
    /// Whether it is that an observer wants to do more than look, which no group helps against.
    let isObservers: Bool
    /// The single faults of a configuration that was refused.
    let errors: [String]

    /// - Returns: nil where the body is no problem of the broker's.
    init?(_ body: JSONValue) {
        guard let code = body["code"]?.string else { return nil }
        self.code = code
        detail = body["detail"]?.string
        retryAfter = body["retry_after"]?.number?.int64
        provider = [("provider_status", "status"), ("provider_code", "code"), ("provider_request_id", "request")]
            .compactMap { member, label in body[member]?.scalarText.map { "\(label) \($0)" } }
        isObservers = body["reason"]?.string == "observer"
        errors = body["errors"]?.array?.compactMap(\.string) ?? []
    }

    /// The lines for standard error; the first begins with the code, which scripts look for.
    var lines: [String] {
        var lines = ["\(code)" + (detail.map { ": \($0)" } ?? "")]
        lines += errors
        if !provider.isEmpty { lines.append("the provider answered: \(provider.joined(separator: ", "))") }
        if let retryAfter { lines.append("retry_after: \(retryAfter) s") }
        return lines
    }
}
