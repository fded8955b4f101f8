internal import JSON

/// Whom a client token is for, as the body of a mint says it.
struct RoadieMint {
    /// More than that of attributes is refused: bytes of their JSON.
    private static let mostAttributeBytes = 4096
    /// What is asked for beyond it is cut to it.
    private static let longestLifetimeSeconds: Int64 = 3600

    let endUser: String
    let plan: String?
    let attributes: JSONObject?
    let lifetimeSeconds: Int64?
    let scopes: [String]?

    /// Takes the body. A member that may be left out may not be null.
    init(_ body: JSONValue?) throws(RoadieRefusal) {
        guard let body = body?.object else { throw RoadieRefusal(.invalidRequest, code: "invalid_json") }
        guard let user = body["end_user"]?.object else { throw Self.wrong("end_user") }
        for member in body.members where member.value == .null { throw Self.wrong(member.name) }
        for member in user.members where member.value == .null { throw Self.wrong("end_user." + member.name) }
        guard let id = user["id"]?.string, !id.isEmpty else { throw Self.wrong("end_user.id") }
        endUser = id
        plan = try Self.optional(user["plan"], "end_user.plan", \.string)
        attributes = try Self.optional(user["attributes"], "end_user.attributes", \.object)
        if let attributes, JSONValue.object(attributes).serialized().count > Self.mostAttributeBytes {
            throw Self.wrong("end_user.attributes")
        }
        let lifetime = try Self.optional(body["ttl_seconds"], "ttl_seconds") { $0.number?.int64 }
        if let lifetime, lifetime <= 0 { throw Self.wrong("ttl_seconds") }
        lifetimeSeconds = lifetime.map { min($0, Self.longestLifetimeSeconds) }
        scopes = try Self.optional(body["scopes"], "scopes") { value in
            let scopes = value.array?.map(\.string)
            return scopes?.contains(nil) == true ? nil : scopes?.compactMap(\.self)
        }
    }

    private static func optional<Value>(
        _ value: JSONValue?,
        _ name: String,
        _ read: (JSONValue) -> Value?
    ) throws(RoadieRefusal) -> Value? {
        guard let value else { return nil }
        guard let read = read(value) else { throw wrong(name) }
        return read
    }

    private static func wrong(_ parameter: String) -> RoadieRefusal {
        RoadieRefusal(.invalidRequest, code: "invalid_parameter", parameter: parameter)
    }
}
