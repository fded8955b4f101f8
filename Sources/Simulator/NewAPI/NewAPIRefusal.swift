/// What the relay says when it does not do what it was asked.
struct NewAPIRefusal: Error {
    /// What the control API calls it.
    let name: String
    let status: Int
    /// Often empty: many refusals can only be told apart by their status.
    let code: String
    let message: String
    /// Whether there is a body at all.
    let hasBody: Bool

    private init(_ name: String, _ status: Int, code: String = "", _ message: String, hasBody: Bool = true) {
        self.name = name
        self.status = status
        self.code = code
        self.message = message
        self.hasBody = hasBody
    }

    /// Missing, unknown, disabled, expired and exhausted keys look alike.
    static let invalidKey = Self("invalid_key", 401, "Invalid token")
    static let accessDenied = Self("access_denied", 403, code: "access_denied", "The address is not allowed")
    static let noUserQuota = Self(
        "insufficient_user_quota",
        403,
        code: "insufficient_user_quota",
        "The user's quota is not enough"
    )
    static let noKeyQuota = Self(
        "pre_consume_token_quota_failed",
        403,
        code: "pre_consume_token_quota_failed",
        "The token's quota is not enough"
    )
    static let modelLimit = Self("model_rate_limit", 429, "您已达到请求数限制：1分钟内最多请求60次")
    static let addressLimit = Self("address_rate_limit", 429, "", hasBody: false)
    static let limiterFailed = Self("rate_limit_check_failed", 500, "rate_limit_check_failed")

    // What a signed request is refused with is not published; these are the kit's names for it.
    static let missingBundle = Self("missing_bundle_id", 401, code: "missing_bundle_id", "X-Bundle-Id is missing")
    static let missingDevice = Self("missing_device_id", 401, code: "missing_device_id", "X-Device-Id is missing")
    static let invalidBundle = Self("invalid_bundle_id", 403, code: "invalid_bundle_id", "The bundle is not allowed")
    static let invalidSignature = Self("invalid_signature", 401, code: "invalid_signature", "Invalid signature")
    static let staleTimestamp = Self("stale_timestamp", 401, code: "invalid_signature", "The timestamp is not current")
    static let repeatedNonce = Self("repeated_nonce", 401, code: "invalid_signature", "The nonce was used before")

    static let invalidRequest = Self("invalid_request", 400, code: "invalid_request", "model is required")
    /// Also what a path says to another method than its own.
    static let notFound = Self("not_found", 404, "There is nothing here")

    static let all = [
        invalidKey, accessDenied, noUserQuota, noKeyQuota, modelLimit, addressLimit, limiterFailed, missingBundle,
        missingDevice, invalidBundle, invalidSignature, staleTimestamp, repeatedNonce, invalidRequest, notFound,
    ]

    /// For a status that none of the others has.
    static func simulated(_ status: Int) -> Self {
        Self("simulated_fault", status, "The simulator was told to answer \(status)")
    }
}
