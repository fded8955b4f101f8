/// The errors of the token endpoint (RFC 6749 section 5.2, RFC 8707 section 2).
struct OAuth2Refusal: Error {
    let status: Int
    let code: String
    let description: String

    private init(_ status: Int, _ code: String, _ description: String) {
        self.status = status
        self.code = code
        self.description = description
    }

    static let invalidRequest = Self(400, "invalid_request", "A parameter is missing, malformed or repeated")
    static let invalidClient = Self(401, "invalid_client", "Client authentication failed")
    /// No request here can earn it: client credentials are no grant of somebody else's.
    static let invalidGrant = Self(400, "invalid_grant", "The grant is invalid or has expired")
    static let unauthorizedClient = Self(400, "unauthorized_client", "The client may not use this grant")
    static let unsupportedGrantType = Self(400, "unsupported_grant_type", "Only client_credentials is supported")
    static let invalidScope = Self(400, "invalid_scope", "The scope is unknown, malformed or not the client's")
    static let invalidTarget = Self(400, "invalid_target", "A resource is no absolute URI, or has a fragment")
    static let temporarilyUnavailable = Self(503, "temporarily_unavailable", "Try again later")

    static let all = [
        invalidRequest, invalidClient, invalidGrant, unauthorizedClient, unsupportedGrantType, invalidScope,
        invalidTarget, temporarilyUnavailable,
    ]

    /// For a status that none of the others has.
    static func simulated(_ status: Int) -> Self {
        Self(status, "server_error", "The simulator was told to answer \(status)")
    }
}
