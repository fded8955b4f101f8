internal import HTTPWire
internal import JSON

/// What a caller asks of a token, from the query of a GET or the body of a POST.
struct TokenRequest {
    var minimum: Duration { givenMinimum ?? .zero }
    /// The generations that the caller holds, by `If-None-Match`.
    let held: EntityTags

    private var givenMinimum: Duration?

    /// 30 days: more than any token is believed to live.
    private static let largestMinimum: Int64 = 30 * 86400

    init(_ request: HTTPRequest) throws(InvalidRequest) {
        held = EntityTags(request.headers)
        if let query = request.query {
            try read(query: query)
        }
        if request.method == .post {
            try read(body: request.body)
        }
    }

    private mutating func read(query: ArraySlice<UInt8>) throws(InvalidRequest) {
        guard let items = QueryItems(parsing: query) else {
            throw InvalidRequest("the query is not well-formed")
        }
        for (name, value) in items.items {
            guard name == "min_ttl" else { throw Self.unknownMember(name) }
            try take(minimum: Int64(value), isNumber: value.utf8.allSatisfy { (0x30...0x39).contains($0) })
        }
    }

    private mutating func read(body: [UInt8]) throws(InvalidRequest) {
        guard !body.isEmpty else { return }
        for member in try JSONObject(requestBody: body).members {
            guard member.name == "min_ttl" else { throw Self.unknownMember(member.name) }
            let number = member.value.number
            try take(minimum: number?.int64, isNumber: number != nil)
        }
    }

    private mutating func take(minimum: Int64?, isNumber: Bool) throws(InvalidRequest) {
        guard isNumber, let minimum, (0...Self.largestMinimum).contains(minimum) else {
            throw InvalidRequest("min_ttl is a whole number of seconds from 0 to \(Self.largestMinimum)")
        }
        guard givenMinimum == nil else { throw InvalidRequest("min_ttl is given twice") }
        givenMinimum = .seconds(minimum)
    }

    static func unknownMember(_ name: String) -> InvalidRequest {
        switch name {
        case "end_user", "issuer_token":
            InvalidRequest("this token is not per user: leave \(name) out")
        default:
            InvalidRequest("there is a parameter that this version does not know; it knows min_ttl")
        }
    }
}

extension JSONObject {
    init(requestBody body: [UInt8]) throws(InvalidRequest) {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: body)
        } catch {
            throw InvalidRequest("the body is not JSON: \(error)")
        }
        guard let object = document.object else { throw InvalidRequest("the body is not a JSON object") }
        self = object
    }
}

/// A caller's mistake, in words for the caller.
struct InvalidRequest: Error {
    let detail: String

    init(_ detail: String) {
        self.detail = detail
    }
}
