internal import HTTPWire
internal import JSON

extension TokenBrokerError {
    /// What the broker says in an answer that is no success: problem details (RFC 9457) with a stable code.
    init(_ response: HTTPClientResponse) {
        let problem = try? JSONValue(parsing: response.body)
        guard response.status >= 400, let problem, let code = problem["code"]?.string else {
            self = .unreadable("an answer of status \(response.status) is not a broker's")
            return
        }
        self.init(
            Code(rawValue: code),
            problem["detail"]?.string ?? "the broker says no more",
            status: response.status,
            retryAfter: problem["retry_after"]?.number?.int64.map { .seconds(max(0, $0)) },
            providerStatus: problem["provider_status"]?.number?.int64.flatMap { Int(exactly: $0) },
            providerCode: problem["provider_code"]?.string,
            providerRequestID: problem["provider_request_id"]?.string
        )
    }

    static func unreadable(_ reason: String) -> TokenBrokerError {
        TokenBrokerError(.unreadable, "what answers on the socket is no broker that this client knows: \(reason)")
    }
}
