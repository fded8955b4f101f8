internal import HTTPWire
internal import JSON

extension NewAPI {
    static let models: JSONValue = [
        "object": "list",
        "data": [["id": "gemini-3-flash", "object": "model", "created": 1_626_777_600, "owned_by": "simulator"]],
    ]

    /// `POST /v1/chat/completions`: answers with the SHA-256 of the body, as it was received.
    static func completion(_ request: ProviderRequest) throws(NewAPIRefusal) -> HTTPResponse {
        let body = try? JSONValue(parsing: request.http.body)
        guard let model = body?["model"]?.string else { throw .invalidRequest }
        let digest = JSONValue.string(Digest.sha256(request.http.body).hexadecimal)
        let head: JSONObject = [
            "id": .string("chatcmpl-" + request.requestID),
            "object": body?["stream"] == true ? "chat.completion.chunk" : "chat.completion",
            "created": .number(JSONNumber(request.nowMilliseconds / 1000)),
            "model": .string(model),
        ]
        func document(_ choice: JSONValue) -> JSONValue {
            var document = head
            document["choices"] = [choice]
            return .object(document)
        }
        if body?["stream"] == true {
            return eventStream([
                document(["index": 0, "delta": ["role": "assistant", "content": digest], "finish_reason": nil]),
                document(["index": 0, "delta": [:], "finish_reason": "stop"]),
            ])
        }
        let message: JSONValue = ["role": "assistant", "content": digest]
        return .json(200, document(["index": 0, "message": message, "finish_reason": "stop"]))
    }

    /// Server-sent events, with the end that OpenAI gave them.
    private static func eventStream(_ events: [JSONValue]) -> HTTPResponse {
        let lines = events.map { String(decoding: $0.serialized(), as: UTF8.self) } + ["[DONE]"]
        let body = lines.map { "data: \($0)\n\n" }.joined()
        let type = HeaderField(constant: "Content-Type", "text/event-stream")
        return HTTPResponse(status: 200, headers: [type], body: Array(body.utf8))
    }
}
