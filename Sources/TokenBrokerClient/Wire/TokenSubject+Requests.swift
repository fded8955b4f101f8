internal import HTTPWire
internal import JSON

/// What is asked of the broker.
extension TokenSubject {
    /// - Parameters:
    ///   - issuerToken: the user's token, where there is a source of it.
    ///   - minimum: whole seconds.
    ///   - patience: how long the broker shall wait for a mint.
    func fetch(issuerToken: String?, minimum: Int64, patience: Duration) -> HTTPClientRequest {
        let headers = [Self.prefer(patience)]
        if endUser == nil, issuerToken == nil {
            let query = minimum > 0 ? "?min_ttl=\(minimum)" : ""
            return Self.request(.get, path + query, headers)
        }
        var body = members(issuerToken)
        if minimum > 0 { body["min_ttl"] = .number(JSONNumber(minimum)) }
        return Self.request(.post, path, headers, body)
    }

    func reject(
        _ accessToken: String,
        providerCode: String?,
        issuerToken: String?,
        patience: Duration
    ) -> HTTPClientRequest {
        var body = members(issuerToken)
        body["access_token"] = .string(accessToken)
        if let providerCode { body["provider_code"] = .string(providerCode) }
        return Self.request(.post, path + "/rejected", [Self.prefer(patience)], body)
    }

    func authorize(_ request: OutgoingRequest, issuerToken: String?, patience: Duration) -> HTTPClientRequest {
        var body = members(issuerToken)
        body["method"] = .string(request.method)
        body["url"] = .string(request.url)
        if let hash = request.bodySHA256 { body["body_sha256"] = .string(hash.hexDigits) }
        if let version = request.appVersion { body["app_version"] = .string(version) }
        return Self.request(.post, "/v1/authorize/\(name)", [Self.prefer(patience)], body)
    }

    /// Asks for what comes after a generation, or for what is there.
    func poll(after generation: Int64?, wait: Duration) -> HTTPClientRequest {
        var query = QueryItems()
        if let endUser { query.append("end_user", endUser.id) }
        var headers = [Self.prefer(wait)]
        if let generation { headers.append(Self.field("If-None-Match", "\"\(generation)\"")) }
        return Self.request(.get, query.items.isEmpty ? path : "\(path)?\(query.encoded)", headers)
    }

    private var path: String { "/v1/tokens/\(name)" }

    private func members(_ issuerToken: String?) -> JSONObject {
        var members = JSONObject()
        if let endUser { members["end_user"] = endUser.json }
        if let issuerToken { members["issuer_token"] = .string(issuerToken) }
        return members
    }

    private static func prefer(_ patience: Duration) -> HeaderField {
        field("Prefer", "wait=\(patience.wholeSeconds)")
    }

    private static func field(_ name: String, _ value: String) -> HeaderField {
        do throws(WireEncodingError) {
            return try HeaderField(name, value)
        } catch {
            preconditionFailure("a field of digits: \(error)")
        }
    }

    private static func request(
        _ method: HTTPMethod,
        _ target: String,
        _ headers: [HeaderField],
        _ body: JSONObject? = nil
    ) -> HTTPClientRequest {
        do throws(WireEncodingError) {
            let type = body == nil ? [] : [HeaderField(constant: "Content-Type", "application/json")]
            let bytes = body.map { JSONValue.object($0).serialized() } ?? []
            return try HTTPClientRequest(method, target, headers: headers + type, body: bytes)
        } catch {
            preconditionFailure("a target is made of a checked name and encoded values: \(error)")
        }
    }
}

extension EndUser {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .string(id)]
        if let plan { object["plan"] = .string(plan) }
        if !attributes.isEmpty { object["attributes"] = Attribute.object(attributes).json }
        return .object(object)
    }
}

extension EndUser.Attribute {
    fileprivate var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .number(JSONNumber(number))
        case .bool(let bool): .bool(bool)
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members):
            .object(
                members.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = $1.value.json }
            )
        }
    }
}

extension [UInt8] {
    fileprivate var hexDigits: String {
        map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Duration {
    /// Whole seconds, rounded up: who wants 1.5 s of life left is not served by one second.
    var wholeSeconds: Int64 {
        components.seconds + (components.attoseconds > 0 ? 1 : 0)
    }
}
