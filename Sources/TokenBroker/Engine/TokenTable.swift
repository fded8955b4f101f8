/// The engine: every token's life as one value, free of clocks, tasks and locks.
///
/// Each input is a mutating method that takes the present as an argument. What has to happen outside collects in
/// ``takeEffects()``, and ``nextWake`` says when to call ``wake(at:)``. The shell around it is ``Broker``.
struct TokenTable {
    enum Effect {
        case startMint(FlightID, TokenDefinition)
        case cancelMint(FlightID)
        case answer(WaiterID, TokenAnswer)
        case report(BrokerEvent)
    }

    /// What an asking caller gets at once.
    enum Asked {
        case answered(TokenAnswer)
        /// The answer comes as an effect, unless the caller gives up before.
        case waiting
    }

    private(set) var definition: BrokerDefinition
    private var entries: [Name: TokenEntry] = [:]
    private var accounts: [Name: ProviderAccount] = [:]
    private var names: [FlightID: Name] = [:]
    private var due = DeadlineHeap<Name>()
    private var effects: [Effect] = []
    private var lastFlight: UInt64 = 0
    private var lastGeneration: Int64
    private var random: SeededRandom

    /// - Parameter firstGeneration: above every generation that was ever handed out on this host.
    init(_ definition: BrokerDefinition, firstGeneration: Int64, seed: UInt64, at now: Moment) {
        self.definition = definition
        lastGeneration = firstGeneration - 1
        random = SeededRandom(seed: seed)
        for token in definition.tokens.values.sorted(by: { $0.name < $1.name }) {
            entries[token.name] = TokenEntry(token)
            schedule(token.name, at: now)
        }
    }

    /// When ``wake(at:)`` wants to be called next.
    var nextWake: BootInstant? { due.first?.instant }

    /// What has to happen outside since the last call, in order.
    mutating func takeEffects() -> [Effect] {
        guard !effects.isEmpty else { return [] }
        defer { effects = [] }
        return effects
    }

    // MARK: Callers

    /// A caller wants the token with at least `minimum` left.
    ///
    /// - Returns: nil where there is no token of that name.
    mutating func ask(_ name: Name, minimum: Duration, waiter: WaiterID, at now: Moment) -> Asked? {
        guard let index = entries.index(forKey: name) else { return nil }
        if !entries.values[index].isAskedFor {
            entries.values[index].isAskedFor = true
            schedule(name, at: now)
        }
        let entry = entries.values[index]
        if let token = entry.servable(at: now) {
            guard !entry.satisfies(minimum, token, at: now), mayForce(name, at: now) else {
                return .answered(.served(token, degradedBy: entry.setback?.failure))
            }
        } else if entry.flight == nil, let refusal = refusal(for: entry, at: now) {
            return .answered(refusal)
        }
        join(name, purpose: .renewal, waiter: waiter, at: now)
        return .waiting
    }

    /// An operator wants a new token in place of the one held, whatever that has left.
    mutating func forceRefresh(_ name: Name, waiter: WaiterID, at now: Moment) -> Asked? {
        guard let entry = entries[name] else { return nil }
        if let pause = accounts[entry.definition.provider]?.setback, pause.isActive(at: now),
            case .rateLimited = pause.failure.failureClass
        {
            return .answered(.failed(pause.failure, retryAfter: pause.retryAfter(at: now)))
        }
        join(name, purpose: .forced, waiter: waiter, at: now)
        return .waiting
    }

    /// Forgets what is cached of the token; one that is kept fresh is minted anew.
    ///
    /// - Returns: whether there is such a token.
    mutating func drop(_ name: Name, at now: Moment) -> Bool {
        guard var entry = entries[name] else { return false }
        entry.current = nil
        entry.noProgress = nil
        entry.isAskedFor = false
        entry.isSuspended = false
        entries[name] = entry
        effects.append(.report(.dropped(token: name)))
        schedule(name, at: now)
        return true
    }

    /// The caller is gone, or does not want to wait any longer; the flight goes on for the others and for the cache.
    mutating func giveUp(_ waiter: WaiterID, on name: Name) {
        entries[name]?.flight?.waiters.remove(waiter)
    }

    // MARK: The world

    /// A mint ended. A flight that was given up meanwhile is not known any more, and its end changes nothing.
    mutating func flightEnded(_ id: FlightID, _ result: Result<Mint, MintFailure>, at now: Moment) {
        guard let name = names.removeValue(forKey: id), var entry = entries[name], let flight = entry.flight else {
            return
        }
        entry.flight = nil
        entries[name] = entry
        leaveAccount(of: entry.definition, flight, at: now)
        switch result {
        case .success(let mint): install(mint, for: name, flight, at: now)
        case .failure(let failure): fail(name, flight, failure, at: now)
        }
        schedule(name, at: now)
    }

    /// The instant that ``nextWake`` named has come.
    mutating func wake(at now: Moment) {
        while let first = due.first, first.instant <= now.boot {
            _ = due.popFirst()
            act(on: first.key, at: now)
        }
    }

    /// The calendar clock was set: what is dead by it alone is put aside and replaced, a little apart from one another.
    mutating func wallClockStepped(at now: Moment) {
        for name in entries.keys.sorted() {
            guard let entry = entries[name], let current = entry.current else { continue }
            let isSuspended = current.condition(at: now) == .suspended
            if isSuspended && !entry.isSuspended {
                effects.append(.report(.suspended(token: name)))
                entries[name]?.hurriedAt = now.boot.advanced(
                    by: Self.suspensionSpread.scaled(by: Double.random(in: 0..<1, using: &random))
                )
            }
            if !isSuspended { entries[name]?.hurriedAt = nil }
            entries[name]?.isSuspended = isSuspended
            schedule(name, at: now)
        }
    }

    private static let suspensionSpread: Duration = .seconds(3)

    /// Takes a new definition: tokens whose making did not change keep what they have.
    ///
    /// - Parameter changedSecrets: whose value is another now, so that a refusal of the old one says nothing any more.
    mutating func reload(_ newDefinition: BrokerDefinition, changedSecrets: Set<Name>, at now: Moment) {
        let old = definition
        definition = newDefinition
        for name in entries.keys.sorted() {
            let mintedTheSame = newDefinition.makesSameToken(as: old, name)
            if mintedTheSame, let token = newDefinition.tokens[name] {
                entries[name]?.definition = token
            } else {
                withdraw(name, at: now)
            }
        }
        for (provider, definition) in newDefinition.providers
        where old.providers[provider] != definition || changedSecrets.contains(definition.secret) {
            accounts[provider]?.setback = nil
            for (name, entry) in entries where entry.definition.provider == provider {
                entries[name]?.setback = entry.flight == nil ? nil : entry.setback
            }
        }
        for token in newDefinition.tokens.values.sorted(by: { $0.name < $1.name }) {
            if entries[token.name] == nil { entries[token.name] = TokenEntry(token) }
            schedule(token.name, at: now)
        }
    }

    // MARK: Facts

    func status(of name: Name, at now: Moment) -> TokenStatus? {
        entries[name].map { TokenStatus($0, account: accounts[$0.definition.provider], at: now) }
    }

    // MARK: Flights

    private mutating func join(_ name: Name, purpose: Flight.Purpose, waiter: WaiterID, at now: Moment) {
        if entries[name]?.flight == nil {
            start(name, purpose: purpose, at: now)
        }
        entries[name]?.flight?.waiters.insert(waiter)
    }

    private mutating func start(_ name: Name, purpose: Flight.Purpose, at now: Moment) {
        guard var entry = entries[name] else { return }
        lastFlight += 1
        let id = FlightID(number: lastFlight)
        let deadline = now.boot.advanced(by: definition.limits.mintDeadline)
        var flight = Flight(id: id, purpose: purpose, deadline: deadline)
        var account = accounts[entry.definition.provider] ?? ProviderAccount()
        if account.setback != nil { account.probe = id }
        flight.isRunning = account.enter(name)
        accounts[entry.definition.provider] = account
        entry.flight = flight
        entry.hurriedAt = nil
        entries[name] = entry
        names[id] = name
        if flight.isRunning { effects.append(.startMint(id, entry.definition)) }
        schedule(name, at: now)
    }

    private mutating func leaveAccount(of definition: TokenDefinition, _ flight: Flight, at now: Moment) {
        guard var account = accounts[definition.provider] else { return }
        if account.probe == flight.id { account.probe = nil }
        if flight.isRunning {
            account.leave()
        } else {
            account.cancelQueued(definition.name)
        }
        while let next = account.next() {
            guard let id = entries[next]?.flight?.id, let token = entries[next]?.definition else { continue }
            entries[next]?.flight?.isRunning = true
            effects.append(.startMint(id, token))
        }
        accounts[definition.provider] = account
    }

    private mutating func install(_ mint: Mint, for name: Name, _ flight: Flight, at now: Moment) {
        guard var entry = entries[name] else { return }
        let limits = definition.limits
        let defaultLifetime = entry.definition.defaultLifetime ?? limits.defaultLifetime
        guard let lifetime = Lifetime(of: mint, default: defaultLifetime, maximum: limits.maxLifetime, arrivedAt: now)
        else {
            let detail = "the provider answered a token that has already ended"
            return fail(name, flight, MintFailure(.transient, detail: detail), at: now)
        }
        warn(of: lifetime, in: &entry)
        lastGeneration += 1
        let token = ServedToken(
            text: mint.text,
            generation: Generation(lastGeneration),
            issuedAt: mint.requestedAt,
            lifetime: lifetime,
            using: &random
        )
        entry.mints += 1
        entry.setback = nil
        if let held = entry.servable(at: now), !token.isProgress(over: held, forced: flight.purpose == .forced) {
            let attempts = (entry.noProgress?.attempts ?? 0) + 1
            let delay = FailureClass.transient.backoff.delay(attempt: attempts, using: &random)
            entry.noProgress = TokenEntry.Pause(attempts: attempts, until: now.boot.advanced(by: delay))
            effects.append(.report(.noProgress(token: name)))
        } else {
            entry.noProgress = nil
            entry.current = token
            entry.isAskedFor = !flight.waiters.isEmpty
            entry.isSuspended = false
            let event = BrokerEvent.minted(token: name, generation: token.generation, lifetime: token.lifetime)
            effects.append(.report(event))
        }
        entries[name] = entry
        endAccountSetback(entry.definition.provider, at: now)
        guard let served = entry.current else { return }
        answer(flight.waiters, .served(served, degradedBy: nil))
    }

    private mutating func warn(of lifetime: Lifetime, in entry: inout TokenEntry) {
        guard let remark = lifetime.remark, !entry.hasWarnedOfLifetime else { return }
        entry.hasWarnedOfLifetime = true
        let name = entry.definition.name
        switch remark {
        case .unstated: effects.append(.report(.lifetimeUnstated(token: name, assumed: lifetime.duration)))
        case .capped: effects.append(.report(.lifetimeCapped(token: name, maximum: lifetime.duration)))
        }
    }

    private mutating func fail(_ name: Name, _ flight: Flight, _ failure: MintFailure, at now: Moment) {
        guard var entry = entries[name] else { return }
        let provider = entry.definition.provider
        let concernsAccount = failure.failureClass.concernsAccount
        let setback = Setback(
            failure,
            after: concernsAccount ? accounts[provider]?.setback : entry.setback,
            at: now,
            longestPause: definition.limits.retryAfterMax,
            using: &random
        )
        entry.setback = setback
        entry.failures += 1
        entry.lastFailure = (failure, now)
        entries[name] = entry
        if concernsAccount { accounts[provider, default: ProviderAccount()].setback = setback }
        let token = entry.servable(at: now)
        let retryAfter = setback.retryAfter(at: now)
        let event = BrokerEvent.mintFailed(
            token: name,
            failure,
            attempts: setback.attempts,
            retryAfter: retryAfter,
            stillServing: token != nil
        )
        effects.append(.report(event))
        let result = token.map { TokenAnswer.served($0, degradedBy: failure) }
        answer(flight.waiters, result ?? .failed(failure, retryAfter: retryAfter))
    }

    private mutating func answer(_ waiters: Set<WaiterID>, _ answer: TokenAnswer) {
        for waiter in waiters {
            effects.append(.answer(waiter, answer))
        }
    }

    private mutating func withdraw(_ name: Name, at now: Moment) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        guard let flight = entry.flight else { return }
        names[flight.id] = nil
        if flight.isRunning { effects.append(.cancelMint(flight.id)) }
        leaveAccount(of: entry.definition, flight, at: now)
        answer(flight.waiters, .withdrawn)
    }

    // MARK: Pauses and dues

    /// Whether a caller's `min_ttl` may start a mint, or join one, beside a token that is still valid.
    private mutating func mayForce(_ name: Name, at now: Moment) -> Bool {
        guard let entry = entries[name] else { return false }
        if entry.flight != nil { return true }
        guard entry.setback == nil || entry.setback?.isActive(at: now) == false else { return false }
        if let pause = entry.noProgress, now.boot < pause.until { return false }
        guard accountAllowsStart(entry.definition.provider, at: now) else { return false }
        return entries[name]?.forcedMints.take(at: now.boot) ?? false
    }

    /// What a caller is told while there is nothing to serve and no attempt may be made.
    private func refusal(for entry: TokenEntry, at now: Moment) -> TokenAnswer? {
        if let setback = entry.setback, setback.isActive(at: now) {
            return .failed(setback.failure, retryAfter: setback.retryAfter(at: now))
        }
        let provider = entry.definition.provider
        guard !accountAllowsStart(provider, at: now), let setback = accounts[provider]?.setback else { return nil }
        return .failed(setback.failure, retryAfter: setback.retryAfter(at: now))
    }

    /// While an account's setback lasts nobody tries; when it is over, one does, and the others wait for how that ends.
    private func accountAllowsStart(_ provider: Name, at now: Moment) -> Bool {
        guard let account = accounts[provider], let setback = account.setback else { return true }
        return !setback.isActive(at: now) && account.probe == nil
    }

    private mutating func endAccountSetback(_ provider: Name, at now: Moment) {
        guard accounts[provider]?.setback != nil else { return }
        accounts[provider]?.setback = nil
        for (name, entry) in entries where entry.definition.provider == provider {
            if entry.setback?.failure.failureClass.concernsAccount == true { entries[name]?.setback = nil }
            schedule(name, at: now)
        }
    }

    /// Pushes the entry's next due instant.
    private mutating func schedule(_ name: Name, at now: Moment) {
        guard let entry = entries[name], let instant = nextDue(entry, at: now) else { return }
        due.push(name, at: instant)
    }

    private func nextDue(_ entry: TokenEntry, at now: Moment) -> BootInstant? {
        if let flight = entry.flight { return flight.deadline }
        guard var instant = entry.nextAttempt(at: now) else { return nil }
        if let account = accounts[entry.definition.provider], let setback = account.setback {
            instant = max(instant, setback.retryAt)
            // Whoever waits for the probe is scheduled anew when that ends; this is the net under it.
            if account.probe != nil { instant = max(instant, now.boot.advanced(by: .seconds(1))) }
        }
        return instant
    }

    private mutating func act(on name: Name, at now: Moment) {
        guard let entry = entries[name], let instant = nextDue(entry, at: now), instant <= now.boot else { return }
        if let flight = entry.flight {
            effects.append(.cancelMint(flight.id))
            let detail = "the provider did not answer within the time allowed for a mint"
            flightEnded(flight.id, .failure(MintFailure(.transient, detail: detail)), at: now)
        } else {
            start(name, purpose: .renewal, at: now)
        }
    }
}

extension BrokerDefinition {
    /// Whether `name` stands for the same token under both definitions: same account, same request.
    fileprivate func makesSameToken(as other: BrokerDefinition, _ name: Name) -> Bool {
        guard let token = tokens[name], let otherToken = other.tokens[name],
            let provider = providers[token.provider], let otherProvider = other.providers[otherToken.provider]
        else { return false }
        return token.provider == otherToken.provider && token.options == otherToken.options
            && provider.kind == otherProvider.kind && provider.baseURL == otherProvider.baseURL
            && provider.secret == otherProvider.secret && provider.options == otherProvider.options
    }
}

extension ServedToken {
    /// Whether having this token is better than having `held`.
    ///
    /// The same text or an end no later brings nothing, and asking again at once would bring it again. A forced mint is
    /// about the text alone.
    fileprivate func isProgress(over held: ServedToken, forced: Bool) -> Bool {
        text != held.text && (forced || bootDeadline > held.bootDeadline)
    }
}
