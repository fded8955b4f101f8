internal import HTTPWire
internal import JSON

extension Palbase {
    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        switch status {
        case 401: Self.response(.invalidToken, request)
        case 429: Self.response(.tooManyRequests, request)
        default: Self.response(.simulated(status), request)
        }
    }

    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)? {
        PalbaseRefusal.all.first { $0.code == name }.map { refusal in { Self.response(refusal, $0) } }
    }

    func refused(_ refusal: PalbaseRefusal, _ request: ProviderRequest) -> ProviderAnswer {
        ProviderAnswer(refusal.status == 401 ? .refused : .other, Self.response(refusal, request))
    }

    func methodNotAllowed(_ allowed: StaticString, _ request: ProviderRequest) -> ProviderAnswer {
        var response = Self.response(.methodNotAllowed, request)
        response.headers.append(HeaderField(constant: "Allow", allowed))
        return ProviderAnswer(.other, response)
    }

    /// Nobody is told to wait for less than the whole window.
    func tooManyRefreshes(_ request: ProviderRequest) -> ProviderAnswer {
        var body = Self.envelope(.tooManyRequests, request)
        body["retry_after"] = .number(JSONNumber(RefreshLimit.windowSeconds))
        let headers = [.noStore, HeaderField.number("Retry-After", RefreshLimit.windowSeconds)]
        return ProviderAnswer(.other, .json(429, .object(body), headers: headers))
    }

    private static func response(_ refusal: PalbaseRefusal, _ request: ProviderRequest) -> HTTPResponse {
        .json(refusal.status, .object(envelope(refusal, request)), headers: [.noStore])
    }

    /// The one form in which the service says what is wrong.
    private static func envelope(_ refusal: PalbaseRefusal, _ request: ProviderRequest) -> JSONObject {
        [
            "error": .string(refusal.code),
            "error_description": .string(refusal.description),
            "status": .number(JSONNumber(Int64(refusal.status))),
            "request_id": .string(request.requestID),
        ]
    }
}

extension HeaderField {
    static let noStore = HeaderField(constant: "Cache-Control", "no-store")
}
