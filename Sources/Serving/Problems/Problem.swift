internal import HTTPWire
internal import JSON
internal import TokenBroker

/// An error as a caller sees it: RFC 9457 problem details with a stable code.
///
/// This file maps codes to statuses; nothing else chooses one.
struct Problem {
    /// For whom an answer is, by which its status is chosen.
    enum Audience {
        /// Local programs that read the code.
        case programs
        /// Apps behind a proxy, whose SDK reads the status.
        case apps
        /// Proxies that ask whether to let a request pass.
        case proxies
    }

    enum Code: String {
        case unknownToken = "unknown_token"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case invalidRequest = "invalid_request"
        case notPermitted = "not_permitted"
        case conflict
        case configurationInvalid = "configuration_invalid"
        case preconditionFailed = "precondition_failed"
        case preconditionRequired = "precondition_required"
        case providerRejectedSecret = "provider_rejected_secret"
        case providerRejectedRequest = "provider_rejected_request"
        case providerUntrusted = "provider_untrusted"
        case providerUnavailable = "provider_unavailable"
        case providerRateLimited = "provider_rate_limited"
        case providerQuotaExhausted = "provider_quota_exhausted"
        case providerRefusedUser = "provider_refused_user"
        case deadlineExceeded = "deadline_exceeded"
        case secretUnavailable = "secret_unavailable"
        case sessionLost = "session_lost"
        case secretNotForPeers = "secret_not_for_peers"
        case bodyRequired = "body_required"
        case tokenNotStale = "token_not_stale"
        case tooManyRejections = "too_many_rejections"
        case deviceAttestationRequired = "device_attestation_required"
        case deviceAttestationFailed = "device_attestation_failed"
        case tooManyRequests = "too_many_requests"
        case payloadTooLarge = "payload_too_large"
        case headersTooLarge = "headers_too_large"
        case tooManyConnections = "too_many_connections"
        case shuttingDown = "shutting_down"
        case `internal` = "internal"

        var status: Int {
            switch self {
            case .invalidRequest: 400
            case .deviceAttestationRequired: 401
            case .notPermitted, .providerRefusedUser, .secretNotForPeers, .bodyRequired, .deviceAttestationFailed: 403
            case .unknownToken, .notFound: 404
            case .methodNotAllowed: 405
            case .tokenNotStale, .conflict: 409
            case .preconditionFailed: 412
            case .payloadTooLarge: 413
            case .configurationInvalid: 422
            case .preconditionRequired: 428
            case .tooManyRejections, .tooManyRequests: 429
            case .headersTooLarge: 431
            case .internal: 500
            case .providerRejectedSecret, .providerRejectedRequest, .providerUntrusted: 502
            case .providerUnavailable, .providerRateLimited, .providerQuotaExhausted, .secretUnavailable,
                .sessionLost, .tooManyConnections, .shuttingDown:
                503
            case .deadlineExceeded: 504
            }
        }

        /// The status for `audience`, whatever the code says to programs.
        func status(for audience: Audience) -> Int {
            switch audience {
            case .programs: status
            // An SDK knows no gateway's timeout, and would read a 401 as its own token being stale.
            case .apps: self == .deadlineExceeded ? 503 : status
            // Proxies understand three refusals: nobody, not you, and not now.
            case .proxies: isFaultOfRequest ? 403 : 503
            }
        }

        private var isFaultOfRequest: Bool {
            switch self {
            case .unknownToken, .notFound, .methodNotAllowed, .invalidRequest, .notPermitted, .providerRefusedUser,
                .secretNotForPeers, .bodyRequired, .payloadTooLarge, .headersTooLarge, .tokenNotStale:
                true
            default: false
            }
        }

        var title: String {
            rawValue.replacing("_", with: " ")
        }
    }

    let code: Code
    let detail: String
    private var retryAfter: Int64?
    private var allow: String?
    private var members: [(String, JSONValue)] = []
    /// Whether what is wrong is that nobody named the end user.
    private var lacksUser = false

    init(_ code: Code, _ detail: String, retryAfter: Int64? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    var response: HTTPResponse { response(for: .programs) }

    func response(for audience: Audience) -> HTTPResponse {
        let status = lacksUser && audience == .proxies ? 401 : code.status(for: audience)
        // A proxy that is told "not now" is told when.
        let retryAfter = retryAfter ?? (audience == .proxies && status == 503 ? 1 : nil)
        var document: JSONObject = [
            "type": "about:blank",
            "title": .string(code.title),
            "status": .number(JSONNumber(Int64(status))),
            "code": .string(code.rawValue),
            "detail": .string(detail),
        ]
        var headers = [HeaderField.problemType, .noStore]
        if let retryAfter {
            document["retry_after"] = .number(JSONNumber(retryAfter))
            headers.append(HeaderField("Retry-After", number: retryAfter))
        }
        for (name, value) in members { document[name] = value }
        if let allow { headers.append(.allow(allow)) }
        if status == 401 { headers.append(code == .deviceAttestationRequired ? .proofChallenge : .bearerChallenge) }
        return HTTPResponse(status: status, headers: headers, body: JSONValue.object(document).serialized())
    }
}

extension Problem {
    static let shuttingDown = Problem(.shuttingDown, "the broker is stopping; ask again in a moment", retryAfter: 1)
    static let tooManyConnections = Problem(
        .tooManyConnections,
        "this user has too many connections open; close some and ask again",
        retryAfter: 1
    )
    static let tooManyStrangers = Problem(
        .tooManyConnections,
        "users whom no `allow:` names share a few connections, and all of them are taken; ask again",
        retryAfter: 1
    )
    static let tooManyWaiting = Problem(
        .tooManyConnections,
        "too many callers of this user wait for this token's provider already; ask again",
        retryAfter: 1
    )
    /// The same words whether the token does not exist or is not for this peer: a caller must not learn which.
    static let unknownToken = Problem(
        .unknownToken,
        "there is no such token for you; `tokenbroker list` shows what you may fetch, and `allow:` decides"
    )
    static let tokenEnded = Problem(
        .providerUnavailable,
        "the token ended before it could be handed out; ask again",
        retryAfter: 1
    )
    static let deadlineExceeded = Problem(
        .deadlineExceeded,
        "the provider has not answered yet; the mint goes on, so ask again in a moment",
        retryAfter: 1
    )
    static let tokenNotStale = Problem(
        .tokenNotStale,
        "the provider takes this credential: it was verified just now, so the refusal has another reason"
    )
    static let secretNotForPeers = Problem(
        .secretNotForPeers,
        "this credential is a long-lived key, which is handed out only where its token sets reveal_secret"
    )
    static let bodyRequired = Problem(
        .bodyRequired,
        "this provider signs the body: give body, or its SHA-256 as body_sha256, or in X-Body-SHA256 to forward-auth"
    )
    /// An operator's mistake; an app is told ``deviceFailed(_:)``.
    static let unknownDevice = Problem(
        .notFound,
        "there is no such device; `tokenbroker device list` shows those there are"
    )
    static let verificationLate = Problem(
        .deadlineExceeded,
        "too many devices are being verified; ask again with a new challenge",
        retryAfter: 1
    )
    /// For who may look and wants to do more: no group helps.
    static let onlyObserver = {
        var problem = Problem(
            .notPermitted,
            "an observer may read status, health and metrics and nothing else, also where `operators` matches too"
        )
        problem.members = [("reason", "observer")]
        return problem
    }()
    static let notFound = Problem(.notFound, "there is nothing at this path")

    /// - Parameter allowed: the methods that the path takes, as the `Allow` header has them.
    static func methodNotAllowed(_ allowed: String) -> Problem {
        var problem = Problem(.methodNotAllowed, "this path takes \(allowed)")
        problem.allow = allowed
        return problem
    }

    static func tooManyRejections(retryAfter: Int64) -> Problem {
        Problem(
            .tooManyRejections,
            "this token was reported as refused too often; if new ones are refused too, the fault is elsewhere",
            retryAfter: retryAfter
        )
    }

    /// The request has no proof, and the route wants one.
    static func deviceRequired(_ rejection: DeviceRejection) -> Problem {
        Problem(.deviceAttestationRequired, rejection)
    }

    static func deviceFailed(_ rejection: DeviceRejection) -> Problem {
        Problem(.deviceAttestationFailed, rejection)
    }

    private init(_ code: Code, _ rejection: DeviceRejection) {
        self.init(code, rejection.detail)
        members = [("reason", .string(rejection.reason))]
    }

    static func tooManyRequests(after wait: Duration) -> Problem {
        Problem(
            .tooManyRequests,
            "too many challenges or registrations were asked for; wait and ask again",
            retryAfter: wait.wholeSecondsRoundedUp
        )
    }

    init(_ fault: InvalidRequest) {
        self.init(.invalidRequest, fault.detail)
        lacksUser = fault.lacksUser
    }

    static func invalidRequest(_ detail: String) -> Problem {
        Problem(.invalidRequest, detail)
    }

    static func configurationInvalid(_ problems: [String]) -> Problem {
        var problem = Problem(
            .configurationInvalid,
            "the configuration was not taken and the one before stays in force; mend it and reload"
        )
        problem.members = [("errors", .array(problems.map(JSONValue.string)))]
        return problem
    }

    init(_ refusal: WireRefusal) {
        switch refusal.code {
        case .headersTooLarge:
            self.init(
                .headersTooLarge,
                "the request's head is over 16 KiB or 100 fields, or its chunks say too much beside their bytes"
            )
        case .payloadTooLarge: self.init(.payloadTooLarge, "the request's body is over 64 KiB")
        case .malformed, .versionNotSupported, .unexpectedEnd: self.init(.invalidRequest, refusal.description)
        }
    }

    /// - Parameters:
    ///   - retryAfter: seconds until the next attempt.
    ///   - detail: nil for the failure's own.
    init(_ failure: MintFailure, retryAfter: Int64?, detail: String? = nil) {
        self.init(Code(failure.failureClass), detail ?? failure.detail, retryAfter: retryAfter)
        if let status = failure.providerStatus {
            members.append(("provider_status", .number(JSONNumber(Int64(status)))))
        }
        if let code = failure.providerCode { members.append(("provider_code", .string(code))) }
        if let id = failure.providerRequestID { members.append(("provider_request_id", .string(id))) }
    }
}

extension Problem.Code {
    init(_ failureClass: FailureClass) {
        guard let code = Self(rawValue: failureClass.code) else {
            preconditionFailure("a failure class without a problem: \(failureClass)")
        }
        self = code
    }
}
