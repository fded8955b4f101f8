internal import JSON
internal import TokenBroker
internal import Upstream

/// What became of a refresh token that was sent.
enum RefreshOutcome {
    /// It is spent, and this is the next one; the access token beside it can be unusable all the same.
    case succeeded(successor: TokenText, Result<Mint, MintFailure>)
    /// This sending did not spend it.
    case unspent(MintFailure)
    /// It may be spent.
    case unknown(MintFailure)
    /// It may be spent, and the connection ended before the answer did.
    case unanswered(MintFailure)
    /// The provider has ended the session.
    case lost(MintFailure)
}

/// An answer of `POST /auth/token/refresh`.
///
/// Documented are 200; 401 `invalid_token`, `token_expired`, `token_reuse` and `session_revoked`; 401 for the API key;
/// 400 `invalid_request`; 429; and "not yet", which has names and no status of its own. A refusal counts as the provider's
/// only in its own envelope: what a proxy says leaves it open whether the request went through before.
///
/// Source: seklabsnet/palauth, server/token_handlers.go and internal/apikey; palgroup/palbase-cli for "not yet".
struct RefreshAnswer {
    private static let sessionCodes: Set = ["invalid_token", "token_expired", "token_reuse", "session_revoked"]
    static let keyCodes: Set = ["missing_api_key", "invalid_api_key", "revoked_api_key"]
    private static let requestCode = "invalid_request"
    /// The project is asleep, on its way or out of reach: the request did not get to it.
    private static let notYetCodes: Set = [
        "tenant_unreachable", "wake_in_progress", "cutover_in_progress", "no_admitting_cell",
    ]

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    var outcome: RefreshOutcome {
        switch answer.response.status {
        case 200..<300: success
        case 400... where isNotYet: .unspent(answer.unavailable)
        // Wherever on the way it comes from, it is said instead of an answer.
        case 429: .unspent(answer.plainRefusal)
        case 408, 425: .unknown(answer.plainRefusal)
        case 400..<500 where answer.hasErrorEnvelope: refusal
        default: .unknown(answer.plainRefusal)
        }
    }

    /// Whether an answer to a request without a refresh token says that the key beside it is good: only then does the
    /// provider come to look for the token.
    func proveKey() throws(MintFailure) {
        guard !isNotYet else { throw answer.unavailable }
        let isOwnRefusal = (400..<500).contains(answer.response.status) && answer.hasErrorEnvelope
        guard isOwnRefusal, let code = answer.errorCode else {
            guard answer.response.status < 300 else { throw answer.plainRefusal }
            throw answer.unreadable("a refresh without a token succeeded")
        }
        if code == Self.requestCode || Self.sessionCodes.contains(code) { return }
        throw Self.keyCodes.contains(code) ? refusedKey : answer.plainRefusal
    }

    private var isNotYet: Bool { answer.errorCode.map(Self.notYetCodes.contains) ?? false }

    private var success: RefreshOutcome {
        do throws(MintFailure) {
            let document = try answer.success { _ in nil }
            let successor = try answer.token("refresh_token", in: document)
            return .succeeded(successor: successor, mint(document))
        } catch {
            return .unknown(error)
        }
    }

    private func mint(_ document: JSONObject) -> Result<Mint, MintFailure> {
        Result { () throws(MintFailure) in
            let text = try answer.token("access_token", in: document)
            try answer.requireBearer(in: document)
            return answer.mint(text, try answer.expiry(secondsFromNow: "expires_in", in: document))
        }
    }

    private var refusal: RefreshOutcome {
        guard let code = answer.errorCode else { return .unspent(answer.plainRefusal) }
        if Self.sessionCodes.contains(code) {
            return .lost(
                answer.failure(.sessionLost, "the provider has ended the session (\(code)); \(PalbaseSession.remedy)")
            )
        }
        return .unspent(Self.keyCodes.contains(code) ? refusedKey : answer.plainRefusal)
    }

    private var refusedKey: MintFailure {
        answer.failure(
            .secretRejected,
            "the provider refused the project's API key; put a valid pb_ key of the project in its place"
        )
    }
}
