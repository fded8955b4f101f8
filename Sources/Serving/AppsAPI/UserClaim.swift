internal import JSON
internal import TokenBroker

/// What a caller says of its end user.
struct UserClaim {
    /// The app's id of the user.
    var id: String?
    var plan: String?
    /// One JSON object as text.
    var attributes: String?
    /// The user's token from the app's identity provider.
    var issuerToken: String?

    private static let longestID = 256
    private static let longestPlan = 128
    /// Roadie's limit, the only one that is known.
    private static let longestAttributes = 4096

    /// Takes a member of a request's body.
    ///
    /// - Returns: false for a member that says nothing of the user.
    mutating func take(_ member: JSONObject.Member) throws(InvalidRequest) -> Bool {
        switch member.name {
        // Many clients write null for what they leave out.
        case "end_user" where member.value == .null, "issuer_token" where member.value == .null: break
        case "end_user": try take(endUser: member.value)
        case "issuer_token":
            guard let token = member.value.string else { throw InvalidRequest("issuer_token is a text") }
            issuerToken = token
        default: return false
        }
        return true
    }

    private mutating func take(endUser value: JSONValue) throws(InvalidRequest) {
        guard let object = value.object else {
            throw InvalidRequest("end_user is an object with an id, and a plan and attributes where they are wanted")
        }
        for member in object.members {
            switch (member.name, member.value) {
            case ("id", .string(let text)): id = text
            case ("plan", .string(let text)): plan = text
            case ("attributes", .object): attributes = String(decoding: member.value.serialized(), as: UTF8.self)
            default: throw InvalidRequest("end_user has the texts id and plan, and the object attributes")
            }
        }
        guard id != nil else { throw InvalidRequest("end_user needs an id") }
    }

    /// The user as the token's form wants it.
    ///
    /// - Parameter namesUser: whether it is for a request that names its user beside the credential.
    func user(for form: CredentialForm, namesUser: Bool = false) throws(InvalidRequest) -> CallUser {
        try check()
        switch form.user {
        case .none:
            guard id == nil, issuerToken == nil else {
                throw InvalidRequest("this token is not per user: leave end_user and issuer_token out")
            }
            return CallUser()
        case .named:
            guard issuerToken == nil else { throw InvalidRequest("this token takes no issuer_token: leave it out") }
            guard id != nil || !namesUser else {
                throw InvalidRequest("each request names its user: give the end_user", lacksUser: true)
            }
            return CallUser(id: id)
        case .endUser:
            guard issuerToken == nil else { throw InvalidRequest("this token takes no issuer_token: leave it out") }
            guard let id else { throw InvalidRequest("this token is per user: name the end_user", lacksUser: true) }
            let details = attributes.map { SubjectDetails(attributes: $0) }
            return CallUser(subject: Subject(id: id, plan: plan), details: details, id: id)
        case .issuerToken:
            guard id == nil else {
                throw InvalidRequest("this token's user is told by issuer_token: leave end_user out")
            }
            guard let issuerToken else {
                throw InvalidRequest("this token is per user: give the user's issuer_token", lacksUser: true)
            }
            guard let token = IssuerToken(parsing: issuerToken) else {
                throw InvalidRequest("issuer_token is over 16 KiB or has a character that no token has")
            }
            return CallUser(
                subject: .issuerToken(digest: token.digest),
                details: SubjectDetails(issuerToken: token)
            )
        }
    }

    private func check() throws(InvalidRequest) {
        if let id, !id.isText(upTo: Self.longestID) {
            throw InvalidRequest("the end user's id is 1 to \(Self.longestID) bytes without control characters")
        }
        if let plan, !plan.isText(upTo: Self.longestPlan) {
            throw InvalidRequest("the end user's plan is 1 to \(Self.longestPlan) bytes without control characters")
        }
        if let attributes, attributes.utf8.count > Self.longestAttributes {
            throw InvalidRequest("the end user's attributes are over \(Self.longestAttributes) bytes")
        }
    }
}

/// The end user of one call.
struct CallUser {
    var subject: Subject?
    var details: SubjectDetails?
    /// The app's id of the user, where the caller named one.
    var id: String?
}

extension String {
    fileprivate func isText(upTo length: Int) -> Bool {
        (1...length).contains(utf8.count) && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
