internal import HTTPWire
internal import JSON

extension Roadie {
    /// `GET /v1/models`.
    func models(_ request: ProviderRequest) throws(RoadieRefusal) -> ProviderAnswer {
        _ = try caller(request)
        let models: [JSONValue] = ["gpt-5", "gpt-image-1"].map { ["id": .string($0), "object": "model"] }
        return ProviderAnswer(.other, .json(200, ["object": "list", "data": .array(models)]))
    }

    /// `POST /v1/chat` and `POST /openai/v1/chat/completions`: proves that a credential works, and says whose it is.
    func chat(_ request: ProviderRequest) throws(RoadieRefusal) -> ProviderAnswer {
        let caller = try caller(request)
        guard let body = (try? JSONValue(parsing: request.http.body))?.object else {
            throw RoadieRefusal(.invalidRequest, code: "invalid_json")
        }
        let choice: JSONValue = [
            "index": 0, "message": ["role": "assistant", "content": "Hello."], "finish_reason": "stop",
        ]
        let answer: JSONValue = [
            "id": .string(request.requestID),
            "object": "chat.completion",
            "model": body["model"] ?? .null,
            "choices": [choice],
            "roadie": caller.map(json) ?? .null,
        ]
        return ProviderAnswer(.other, .json(200, answer))
    }

    /// The end user whose token it is; nil for a secret key.
    private func caller(_ request: ProviderRequest) throws(RoadieRefusal) -> Subject? {
        guard let credential = request.http.bearerCredential else { throw RoadieRefusal(.authentication) }
        if keys.contains(credential) {
            guard credential.hasPrefix("rd_sk_") else { throw RoadieRefusal(.permission) }
            return nil
        }
        guard let subject = tokens.live(credential, nowMilliseconds: request.nowMilliseconds) else {
            throw RoadieRefusal(.authentication)
        }
        try admit(subject.endUser)
        return subject
    }

    private func json(_ subject: Subject) -> JSONValue {
        [
            "end_user_id": .string(subject.endUser),
            "plan": subject.plan.map(JSONValue.string) ?? .null,
            "scopes": .array(subject.scopes.map(JSONValue.string)),
            "attributes": .object(attributes[subject.endUser] ?? JSONObject()),
        ]
    }
}
