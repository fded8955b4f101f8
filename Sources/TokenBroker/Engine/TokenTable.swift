/// The engine: every token's life as one value, free of clocks, tasks and locks.
///
/// Each input is a mutating method that takes the present as an argument. What has to happen outside collects in
/// ``takeEffects()``, and ``nextWake`` says when to call ``wake(at:)``. The shell around it is ``Broker``.
struct TokenTable {
    enum Effect {
        case startMint(FlightID, TokenKey, MintOrder)
        case cancelMint(FlightID)
        /// Keep the token, then call ``TokenTable/saved(_:at:)``, whether that worked or not.
        case save(FlightID, StoredToken)
        /// Keep what is in service; nobody waits for it.
        case saveAgain(StoredToken)
        /// Keep all these. When the store has every one it has caught up, unless `isPart` says that there is more.
        case refill([StoredToken], isPart: Bool)
        case remove(StoredTokenKey)
        /// Keep the pause, then call ``TokenTable/saved(_:at:)`` where there is a flight, whether that worked or not.
        case saveHold(FlightID?, StoredHold)
        case removeHold(HoldKey)
        /// Reserve generations above this one, then call ``TokenTable/reserved(_:)``.
        case reserve(above: Generation)
        case answer(WaiterID, TokenAnswer)
        case report(BrokerEvent)
    }

    /// What an asking caller gets at once.
    enum Asked {
        case answered(TokenAnswer)
        /// The answer comes as an effect, unless the caller gives up before.
        case waiting
    }

    var definition: BrokerDefinition
    var entries = EntryTable()
    var accounts: [Name: ProviderAccount] = [:]
    var flights: [FlightID: TokenKey] = [:]
    /// Per-user tokens by their last use.
    var users = RecencyList<TokenKey>()
    var userTotals: [Name: UserTotals] = [:]
    var due = DeadlineHeap<TokenKey>()
    var effects: [Effect] = []
    var lastFlight: UInt64 = 0
    var generations: GenerationSource
    let hasStore: Bool
    /// The names that an operator dropped while it cannot be read what an earlier run left of them; nil once it was.
    var droppedUnread: Set<Name>?
    /// What was restored while the calendar clock is not believed.
    var dormant = DormantTokens()
    /// Of the secrets whose version in force is not the first.
    var keysInForce: [Name: KeyInForce] = [:]
    var uses = KeyUses()
    var random: SeededRandom
    /// The farthest that the calendar clock was ahead of the boot clock since the start, in milliseconds.
    var latestOffset: Int64

    /// - Parameters:
    ///   - generations: above every generation that was ever handed out on this host.
    ///   - hasStore: whether tokens are kept before they are served, and ``restore(_:bootID:isLate:at:)`` brings earlier ones.
    init(
        _ definition: BrokerDefinition,
        generations: GenerationSource,
        hasStore: Bool = false,
        seed: UInt64,
        at now: Moment
    ) {
        self.definition = definition
        self.generations = generations
        self.hasStore = hasStore
        droppedUnread = hasStore ? [] : nil
        random = SeededRandom(seed: seed)
        latestOffset = now.calendarOffset
        addShared(at: now)
    }

    /// Whether what an earlier run left behind has been taken.
    var isRestored: Bool { droppedUnread == nil }

    /// When ``wake(at:)`` wants to be called next.
    var nextWake: BootInstant? { due.first?.instant }

    /// What has to happen outside since the last call, in order.
    mutating func takeEffects() -> [Effect] {
        guard !effects.isEmpty else { return [] }
        defer { effects = [] }
        return effects
    }

    /// Adds what is not there yet of the tokens that all callers share.
    mutating func addShared(at now: Moment) {
        for token in definition.tokens.values.sorted(by: { $0.name < $1.name }) where !token.isPerUser {
            let key = TokenKey(token.name)
            if entries[key] == nil { entries[key] = TokenEntry() }
            schedule(key, at: now)
        }
    }

    func account(of key: TokenKey) -> ProviderAccount {
        definition.tokens[key.name].flatMap { accounts[$0.provider] } ?? ProviderAccount()
    }
}

// MARK: - Callers

extension TokenTable {
    /// A caller wants the token with at least `minimum` left.
    ///
    /// - Returns: nil where there is no token of that name.
    mutating func ask(
        _ key: TokenKey,
        minimum: Duration,
        details: SubjectDetails? = nil,
        waiter: WaiterID,
        at now: Moment
    ) -> Asked? {
        if hasEnded(details, key, at: now) { return .answered(Self.endedIssuerToken) }
        guard let entry = touch(key, details, at: now) else { return unknownOrCrowded(key) }
        if let token = entry.servable(at: now) {
            guard !entry.satisfies(minimum, token, at: now), mayHurry(key, entry, at: now) else {
                return .answered(.served(token, isDegraded: entry.isDegraded))
            }
        } else if entry.flight == nil, let refusal = refusal(for: key, entry, at: now) {
            // A user of whom nothing is known need not be remembered.
            if key.subject != nil { schedule(key, at: now) }
            return .answered(refusal)
        }
        join(key, purpose: .renewal, at: now)
        entries[key]?.flight?.waiters.insert(waiter)
        return .waiting
    }

    /// A caller that holds the generation `known` waits for the next one.
    ///
    /// - Returns: `.waiting` while that generation is served; else what ``ask(_:minimum:details:waiter:at:)`` says.
    mutating func awaitNext(
        after known: Generation,
        _ key: TokenKey,
        details: SubjectDetails? = nil,
        waiter: WaiterID,
        at now: Moment
    ) -> Asked? {
        guard let entry = touch(key, details, at: now) else { return unknownOrCrowded(key) }
        guard entry.servable(at: now)?.generation == known else {
            return ask(key, minimum: .zero, details: details, waiter: waiter, at: now)
        }
        entries[key]?.watchers.insert(waiter)
        schedule(key, at: now)
        return .waiting
    }

    /// A caller reports that the provider refused the token with this text.
    ///
    /// Others are served the present token until the mint that this forces succeeds; the caller gets another token or the
    /// reason why there is none, and never the refused one back.
    ///
    /// - Parameter quotaCode: the provider's code where it says that an allowance is spent: the token is dropped, and no
    ///   mint is forced.
    mutating func reject(
        _ key: TokenKey,
        _ text: TokenText,
        quotaCode: String? = nil,
        details: SubjectDetails? = nil,
        waiter: WaiterID,
        at now: Moment
    ) -> Asked? {
        if hasEnded(details, key, at: now) { return .answered(Self.endedIssuerToken) }
        // Nothing is held of such a user, and an entry for the report alone would cost another user the place.
        if let quotaCode, isOfUser(key), entries[key] == nil { return .answered(Self.spentAllowance(quotaCode)) }
        guard let entry = touch(key, details, at: now) else { return unknownOrCrowded(key) }
        if let token = entry.servable(at: now), token.text != text {
            return .answered(.served(token, isDegraded: entry.isDegraded))
        }
        if quotaCode == nil {
            if entry.flight != nil { return insist(key, refused: text, waiter: waiter, at: now) }
            if let refusal = refusal(for: key, entry, at: now) { return .answered(refusal) }
        }
        guard entries[key]?.rejections.take(at: now.boot) == true else {
            return .answered(.tooManyRejections(retryAfter: entry.rejections.retryAfter(at: now.boot)))
        }
        effects.append(.report(.rejected(key)))
        if let quotaCode {
            forgetToken(of: key, at: now)
            return .answered(Self.spentAllowance(quotaCode))
        }
        return insist(key, refused: text, waiter: waiter, at: now)
    }

    private static func spentAllowance(_ code: String) -> TokenAnswer {
        .failed(.quotaExhausted(code: code), retryAfter: nil)
    }

    /// An operator wants a new token in place of the one held, whatever that has left.
    mutating func forceRefresh(_ key: TokenKey, waiter: WaiterID, at now: Moment) -> Asked? {
        guard entries[key] != nil else { return nil }
        if let pause = account(of: key).setback, pause.isActive(at: now), pause.failure.holdsAccount {
            return .answered(.failed(pause.failure, retryAfter: pause.retryAfter(at: now)))
        }
        return insist(key, refused: nil, waiter: waiter, at: now)
    }

    /// Forgets what is cached under a name, of all users too; what is kept fresh is minted anew.
    ///
    /// - Returns: whether there is such a token.
    mutating func drop(_ name: Name, at now: Moment) -> Bool {
        guard let token = definition.tokens[name] else { return false }
        for key in entries.keys.sorted() where key.name == name {
            forgetToken(of: key, at: now)
            if token.isPerUser, entries[key]?.flight == nil { forget(key) }
        }
        droppedUnread?.insert(name)
        effects.append(.report(.dropped(name)))
        return true
    }

    /// Forgets the token in service; the entry stays.
    private mutating func forgetToken(of key: TokenKey, at now: Moment) {
        entries[key]?.current = nil
        entries[key]?.pause = nil
        entries[key]?.isAskedFor = false
        entries[key]?.isSuspended = false
        dormant.remove(key)
        effects.append(.remove(StoredTokenKey(key)))
        schedule(key, at: now)
    }

    /// The caller is gone, or does not want to wait any longer; a flight goes on for the others and for the cache.
    mutating func giveUp(_ waiter: WaiterID, on key: TokenKey) {
        entries[key]?.flight?.waiters.remove(waiter)
        entries[key]?.flight?.insisters.removeValue(forKey: waiter)
        entries[key]?.watchers.remove(waiter)
    }

    private mutating func insist(_ key: TokenKey, refused: TokenText?, waiter: WaiterID, at now: Moment) -> Asked {
        join(key, purpose: .forced, at: now)
        entries[key]?.flight?.insisters.updateValue(refused, forKey: waiter)
        return .waiting
    }

    /// Notes that the token is wanted, and makes a user's entry where there is none yet.
    private mutating func touch(_ key: TokenKey, _ details: SubjectDetails?, at now: Moment) -> TokenEntry? {
        if let entry = entries[key] {
            if key.subject != nil { users.use(key) }
            guard details != nil || !entry.isAskedFor else { return entry }
            if let details {
                let end = end(of: details, key, at: now)
                entries[key]?.take(details, endingAt: end)
            }
            if !entry.isAskedFor {
                entries[key]?.isAskedFor = true
                schedule(key, at: now)
            }
            return entries[key]
        }
        guard isOfUser(key), makeRoom() else { return nil }
        users.use(key)
        var entry = TokenEntry()
        if let details { entry.take(details, endingAt: end(of: details, key, at: now)) }
        entries[key] = entry
        userTotals[key.name, default: UserTotals()].users += 1
        return entry
    }
}

// MARK: - Issuer tokens

extension TokenTable {
    static let endedIssuerToken = TokenAnswer.failed(
        MintFailure(
            .userRefused,
            detail: "the user's issuer token has ended; ask its issuer for a new one",
            providerCode: "issuer_token_rejected"
        ),
        retryAfter: nil
    )

    /// Whether a mint with these details cannot come to a token, so that the provider is not asked.
    private func hasEnded(_ details: SubjectDetails?, _ key: TokenKey, at now: Moment) -> Bool {
        guard let details, let end = end(of: details, key, at: now) else { return false }
        return end.since(now.boot) < ServedToken.shortestServed
    }

    /// When the issuer token ends, told on the provider's clock where that is known: this host's may be hours off.
    private func end(of details: SubjectDetails, _ key: TokenKey, at now: Moment) -> BootInstant? {
        let time = now.wall.advanced(by: account(of: key).clockSkew ?? .zero)
        return details.issuerToken.map { now.boot.advanced(by: $0.remaining(at: time)) }
    }
}

// MARK: - Users

extension TokenTable {
    private func isOfUser(_ key: TokenKey) -> Bool {
        key.subject != nil && definition.tokens[key.name]?.isPerUser == true
    }

    /// Why there is no entry: no such token, or more users at once than the broker holds.
    private func unknownOrCrowded(_ key: TokenKey) -> Asked? {
        isOfUser(key) ? .answered(Self.crowded) : nil
    }

    private static let crowded = TokenAnswer.failed(
        MintFailure(.transient, detail: "there are as many end users as limits.end_users allows"),
        retryAfter: 1
    )

    /// Lets go of the user not seen for longest, so that one more fits; those with a mint under way stay.
    ///
    /// - Returns: whether one more fits.
    private mutating func makeRoom() -> Bool {
        for _ in 0..<Self.evictionTries where isFull {
            guard let oldest = users.oldest else { break }
            if entries[oldest]?.flight == nil { forget(oldest, telling: Self.crowded) } else { users.use(oldest) }
        }
        return !isFull
    }

    private var isFull: Bool {
        users.count >= definition.limits.endUsers || entries.userBytes >= definition.limits.endUserBytes
    }

    /// How many users are looked at to let one go: when this many have a mint under way, so do nearly all.
    private static let evictionTries = 64

    /// Removes a user's entry; who waits for its next generation is told why.
    mutating func forget(_ key: TokenKey, telling answer: TokenAnswer = .withdrawn) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        users.remove(key)
        if key.subject != nil { userTotals[key.name]?.users -= 1 }
        dormant.remove(key)
        effects.append(.remove(StoredTokenKey(key)))
        self.answer(entry.watchers, answer)
    }
}
