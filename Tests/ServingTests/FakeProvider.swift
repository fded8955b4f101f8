import Digests
import Synchronization
import TokenBroker

/// A provider that answers what a test gives it, and waits while it was given nothing.
final class FakeProvider: Provider {
    enum Reply {
        case token(String, StatedExpiry = .after(.seconds(3600)), scope: String? = nil)
        case failure(MintFailure)

        static func failure(_ failureClass: FailureClass) -> Reply {
            .failure(MintFailure(failureClass, detail: "made to fail"))
        }
    }

    private struct State {
        var replies: [Reply] = []
        var mints: [CheckedContinuation<Reply, Never>] = []
        var started = 0
    }

    private let clock: ManualClock
    private let state = Mutex(State())
    let keyIssuer: (any KeyIssuer)? = EmptyKeyAPI()

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// How many mints wait for a reply.
    var waiting: Int { state.withLock { $0.mints.count } }

    /// How many mints there were.
    var started: Int { state.withLock { $0.started } }

    /// Answers the mint that has waited longest, or the next one.
    func give(_ reply: Reply) {
        let mint: CheckedContinuation<Reply, Never>? = state.withLock { state in
            if state.mints.isEmpty {
                state.replies.append(reply)
                return nil
            }
            return state.mints.removeFirst()
        }
        mint?.resume(returning: reply)
    }

    /// Fails all mints that wait: a task that nobody resumes would stay for ever.
    func end() {
        while waiting > 0 { give(.failure(.transient)) }
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let requestedAt = clock.now()
        switch await reply() {
        case .token(let text, let expiry, let scope):
            guard let text = TokenText(text) else { preconditionFailure("not a token") }
            var mint = Mint(text: text, expiry: expiry, requestedAt: requestedAt)
            mint.scope = scope.map(GrantedScope.init)
            return mint
        case .failure(let failure):
            throw failure
        }
    }

    /// The credential, and what the provider was told of the request, so that a test sees it.
    func headers(
        for request: AppRequest,
        credential: TokenText,
        secret: Secret?
    ) throws(AuthorizationFault) -> [CredentialHeader] {
        if request.endUser == "unspeakable" { throw AuthorizationFault("the user cannot be spoken of") }
        let parts = [
            request.method, request.target ?? "-", request.bodyDigest.map { Hexadecimal.text($0) } ?? "-",
            request.endUser ?? "-", request.appVersion ?? "-", secret == nil ? "alone" : "with key",
        ]
        return [.bearer(credential), CredentialHeader("X-Seen", parts.joined(separator: " "))]
    }

    private func reply() async -> Reply {
        await withCheckedContinuation { continuation in
            let reply: Reply? = state.withLock { state in
                state.started += 1
                if state.replies.isEmpty {
                    state.mints.append(continuation)
                    return nil
                }
                return state.replies.removeFirst()
            }
            if let reply { continuation.resume(returning: reply) }
        }
    }
}

/// A key API that lets itself be looked at, and has no key.
private struct EmptyKeyAPI: KeyIssuer {
    func issue(_ label: String, like model: Secret?, by credential: Secret) async throws(KeyIssueFailure) -> NewKey {
        throw .refused(MintFailure(.quotaExhausted, detail: "no room for a key"))
    }

    func ids(of label: String, by credential: Secret) async throws(MintFailure) -> [String] { [] }

    func revoke(_ id: String, by credential: Secret) async throws(MintFailure) {}
}

/// The one key of the tests' account.
enum FixedSecret {
    static let text = "sk_v1_the_long_lived_key"

    static var inForce: SecretsInForce { SecretsInForce(["key": Secret(text.utf8)]) }
}
