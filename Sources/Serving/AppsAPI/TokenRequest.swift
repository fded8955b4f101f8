internal import HTTPWire
internal import JSON

/// What a caller asks of a token, from the query of a GET or the body of a POST.
struct TokenRequest {
    var minimum: Duration { givenMinimum ?? .zero }
    /// The generations that the caller holds, by `If-None-Match`.
    let held: EntityTags
    private(set) var claim = UserClaim()

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
            switch name {
            case "min_ttl":
                try take(minimum: Int64(value), isNumber: value.utf8.allSatisfy { (0x30...0x39).contains($0) })
            case "end_user":
                guard claim.id == nil else { throw InvalidRequest("end_user is given twice") }
                claim.id = value
            default: throw .unknownParameter("min_ttl and end_user")
            }
        }
    }

    private mutating func read(body: [UInt8]) throws(InvalidRequest) {
        guard !body.isEmpty else { return }
        for member in try JSONObject(requestBody: body).members {
            if try claim.take(member) { continue }
            guard member.name == "min_ttl" else { throw .unknownParameter("min_ttl, end_user and issuer_token") }
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
}
