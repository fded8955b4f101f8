internal import HTTPWire
internal import JSON

/// What Roadie answers instead of doing what was asked.
struct RoadieRefusal: Error {
    let type: RoadieErrorType
    private let code: String
    /// The member of the request that is wrong.
    private let parameter: String?
    private let retryAfterSeconds: Int64?

    /// - Parameter code: Nil for the kind's own.
    init(_ type: RoadieErrorType, code: String? = nil, parameter: String? = nil, retryAfterSeconds: Int64? = nil) {
        self.type = type
        self.code = code ?? type.code
        self.parameter = parameter
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The envelope.
    ///
    /// - Parameters:
    ///   - request: Its id is in the body as well as in the head.
    ///   - status: Nil for the kind's own.
    func response(to request: ProviderRequest, status: Int? = nil) -> HTTPResponse {
        var error: JSONObject = ["type": .string(type.rawValue), "code": .string(code)]
        error["message"] = .string("Refused: \(code).")
        error["param"] = parameter.map(JSONValue.string)
        error["request_id"] = .string(request.requestID)
        var headers: [HeaderField] = []
        if let retryAfterSeconds { headers.append(.number("Retry-After", retryAfterSeconds)) }
        return .json(status ?? type.status, ["error": .object(error)], headers: headers)
    }

    func answer(to request: ProviderRequest) -> ProviderAnswer {
        ProviderAnswer(type == .authentication || type == .permission ? .refused : .other, response(to: request))
    }
}
