internal import Digests
internal import TokenBroker

/// The chain of single-use refresh tokens that a session lives by: what is known of its newest link.
///
/// A value without a clock, a disk or a network. Whoever drives it keeps it, durably, after each change and before acting on
/// it; so that whatever is killed when, what was kept says what may be done:
///
/// - `unspent`: the token was never sent.
/// - `spending`: it was sent, or was about to be. Inside the provider's grace it may be sent again, and brings another
///   successor in place of the one whose answer was lost. After that nobody knows: if the provider has spent it, it takes
///   its coming again for theft and ends the session, access token and all. So it is presented again only when the last
///   access token has ended, and there is nothing left to lose.
/// - `lost`: the provider has ended the session; only a new seed helps.
struct SessionChain: Equatable {
    enum State: Equatable {
        case unspent(TokenText)
        case spending(TokenText, Spend)
        case lost
    }

    /// One use of a token, with all its repetitions.
    struct Spend: Equatable {
        let key: IdempotencyKey
        /// When it was first about to be sent; the provider's grace counts from no earlier.
        let since: KeptMoment
    }

    enum Action: Equatable {
        /// Send this token, once the chain is kept as it is now.
        case send(TokenText, IdempotencyKey)
        /// Nobody knows whether the token is spent, and an access token that would be at risk is still alive.
        case wait
        case refuse
    }

    /// For how long the provider takes a spent token again: 30 s from its successor's birth, which is no earlier than the
    /// first sending; less 5 s, the longest that a repetition can be on its way before a connection is given up.
    ///
    /// Source: seklabsnet/palauth, internal/token/refresh.go.
    static let grace: Duration = .seconds(30 - 5)

    /// Which seed it began with.
    let seed: SeedFingerprint
    private(set) var state: State
    /// When the last access token ends; nil before there was one.
    private(set) var accessEnd: KeptMoment?

    /// A chain that begins with a seed nobody has spent.
    init(seed: TokenText) {
        self.seed = SeedFingerprint(seed)
        state = .unspent(seed)
    }

    /// A chain as it was kept.
    init(seed: SeedFingerprint, state: State, accessEnd: KeptMoment?) {
        self.seed = seed
        self.state = state
        self.accessEnd = accessEnd
    }

    /// An access token is wanted.
    mutating func begin(at now: KeptMoment, key: @autoclosure () -> IdempotencyKey) -> Action {
        switch state {
        case .unspent(let token):
            return send(token, Spend(key: key(), since: now))
        case .spending(let token, let spend):
            if let age = now.since(spend.since), age >= .zero, age < Self.grace { return send(token, spend) }
            guard accessEnd?.hasPassed(at: now) != false else { return .wait }
            return send(token, Spend(key: spend.key, since: now))
        case .lost:
            return .refuse
        }
    }

    /// The provider answered with the next token.
    ///
    /// - Parameter newAccessEnd: when the access token that came with it ends; nil where none came that can be used.
    mutating func succeed(_ successor: TokenText, accessEnd newAccessEnd: KeptMoment?) {
        state = .unspent(successor)
        accessEnd = newAccessEnd ?? accessEnd
    }

    /// The provider has ended the session, or the seed is another account's.
    mutating func lose() {
        state = .lost
    }

    private mutating func send(_ token: TokenText, _ spend: Spend) -> Action {
        state = .spending(token, spend)
        return .send(token, spend.key)
    }
}

/// Tells seeds apart without giving one away.
struct SeedFingerprint: Hashable {
    /// 64 lower-case hexadecimal digits.
    let text: String

    /// With a word before the seed, so that it is not the digest by which the provider itself knows its tokens.
    init(_ seed: TokenText) {
        text = Hexadecimal.text(SHA256.digest(of: Array("palbase-seed:\(seed.revealed)".utf8)))
    }

    /// One that was kept.
    init(text: String) {
        self.text = text
    }
}
