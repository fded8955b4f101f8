internal import HTTPWire
internal import JSON

extension AIAutocomplete {
    /// `POST /api/suggest`: proves that a credential works.
    func suggest(_ request: ProviderRequest) -> ProviderAnswer {
        guard let credential = request.http.bearerCredential,
            account.keys.contains(credential)
                || tokens.live(credential, nowMilliseconds: request.nowMilliseconds) != nil
        else {
            return failure(401, "UNAUTHORIZED", "The credential is invalid or has expired.")
        }
        guard request.http.isJSON else {
            return failure(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json.")
        }
        let body = try? JSONValue(parsing: request.http.body)
        guard let meta = body?["meta"], meta["request_id"]?.string?.isUUID == true,
            meta["request_at"]?.string?.isInstant == true
        else {
            return failure(400, "INVALID_REQUEST", "meta.request_id or meta.request_at is missing or malformed.")
        }
        guard let query = body?["data"]?["raw_query"]?.string else {
            return failure(400, "INVALID_REQUEST", "data.raw_query is missing.")
        }
        let suggestion: JSONValue = [
            "type": "DATE",
            "text": "when",
            "options": [["text": "tomorrow", "is_tappable": true]],
        ]
        let data: JSONValue = ["raw_query": .string(query), "suggestions": [suggestion]]
        return ProviderAnswer(.other, .json(200, ["data": data, "meta": meta]))
    }
}

extension String {
    /// Whether the text has the form of an ISO 8601 date and time with its offset.
    fileprivate var isInstant: Bool {
        wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/#) != nil
    }
}
