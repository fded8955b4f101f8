/// What Palbase says when it does not do what it was asked.
struct PalbaseRefusal: Error {
    let status: Int
    let code: String
    let description: String

    private init(_ status: Int, _ code: String, _ description: String) {
        self.status = status
        self.code = code
        self.description = description
    }

    static let missingKey = Self(401, "missing_api_key", "The API key is missing")
    static let invalidKey = Self(401, "invalid_api_key", "The API key is invalid")
    static let revokedKey = Self(401, "revoked_api_key", "The API key has been revoked")
    static let unauthorized = Self(401, "unauthorized", "An access token is required")
    static let invalidToken = Self(401, "invalid_token", "The token is invalid")
    static let expiredToken = Self(401, "token_expired", "The token has expired")
    static let reusedToken = Self(401, "token_reuse", "The refresh token was used before; its family is revoked")
    static let revokedSession = Self(401, "session_revoked", "The session has been revoked")
    static let bearerNotAllowed = Self(400, "bearer_not_allowed", "A refresh carries no Authorization")
    static let invalidRequest = Self(400, "invalid_request", "refresh_token is required")
    static let notFound = Self(404, "not_found", "There is nothing here")
    static let methodNotAllowed = Self(405, "method_not_allowed", "This path has other methods")
    static let tooManyRequests = Self(429, "rate_limit_exceeded", "Too many requests, please try again later")
    static let internalError = Self(500, "internal_error", "An unexpected error occurred")

    static let all = [
        missingKey, invalidKey, revokedKey, unauthorized, invalidToken, expiredToken, reusedToken, revokedSession,
        bearerNotAllowed, invalidRequest, notFound, methodNotAllowed, tooManyRequests, internalError,
    ]

    /// For a status that none of the others has.
    static func simulated(_ status: Int) -> Self {
        Self(status, "simulated_fault", "The simulator was told to answer \(status)")
    }
}
