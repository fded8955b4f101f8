// How mints start, end and become tokens in service.

extension TokenTable {
    /// A mint ended. A flight that was given up meanwhile is not known any more, and its end changes nothing.
    mutating func flightEnded(_ id: FlightID, _ result: Result<Mint, MintFailure>, at now: Moment) {
        guard let key = flights[id], let flight = entries[key]?.flight, !flight.isEnding else { return }
        flights[id] = nil
        entries[key]?.flight = nil
        switch result {
        case .success(let mint): land(mint, key, flight, at: now)
        case .failure where flight.isOutdated: beginAgain(key, flight, at: now)
        case .failure(let failure): fail(failure, key, flight, at: now)
        }
        leaveAccount(key, flight, at: now)
        schedule(key, at: now)
    }

    /// Starts a mint where none is under way.
    mutating func join(_ key: TokenKey, purpose: Flight.Purpose, at now: Moment) {
        guard entries[key]?.flight == nil, let token = definition.tokens[key.name] else { return }
        lastFlight += 1
        let id = FlightID(number: lastFlight)
        let deadline = now.boot.advanced(by: definition.limits.mintDeadline)
        var flight = Flight(id: id, purpose: purpose, deadline: deadline)
        let pace = pace(of: token)
        let isKnown = entries[key]?.isKnown == true
        if accounts[token.provider]?.setback != nil { accounts[token.provider]?.probe = id }
        // In place, as everywhere: a copy of the account would be one of its queue, which can be long.
        accounts[token.provider, default: ProviderAccount()].noteStart(pace, isKnown: isKnown, at: now.boot)
        flight.isRunning = accounts[token.provider, default: ProviderAccount()].enter(key)
        entries[key]?.flight = flight
        entries[key]?.hurriedAt = nil
        flights[id] = key
        if flight.isRunning { start(flight, key, token) }
        schedule(key, at: now)
    }

    /// Mints under the settings and with the key that came meanwhile: how it ended under those before says nothing now.
    /// Who waits for it waits on.
    private mutating func beginAgain(_ key: TokenKey, _ flight: Flight, at now: Moment) {
        entries[key]?.setback = nil
        join(key, purpose: flight.purpose, at: now)
        entries[key]?.flight?.waiters = flight.waiters
        entries[key]?.flight?.insisters = flight.insisters
    }

    private mutating func start(_ flight: Flight, _ key: TokenKey, _ token: TokenDefinition) {
        let isForced = flight.purpose == .forced
        let order = MintOrder(token: token, details: entries[key]?.details, isForced: isForced)
        effects.append(.startMint(flight.id, key, order))
    }

    /// Ends a flight whose token is not wanted any more.
    mutating func cancelFlight(of key: TokenKey, provider: Name, at now: Moment) {
        guard let flight = giveUpFlight(of: key, provider: provider, at: now) else { return }
        answer(flight.waiters, .withdrawn)
        answer(Set(flight.insisters.keys), .withdrawn)
    }

    /// Ends a flight, and leaves to the caller what becomes of those who wait for it.
    mutating func giveUpFlight(of key: TokenKey, provider: Name? = nil, at now: Moment) -> Flight? {
        guard let flight = entries[key]?.flight else { return nil }
        entries[key]?.flight = nil
        flights[flight.id] = nil
        if !flight.isEnding {
            if flight.isRunning { effects.append(.cancelMint(flight.id)) }
            leaveAccount(key, flight, provider: provider, at: now)
        }
        return flight
    }

    mutating func answer(_ waiters: Set<WaiterID>, _ answer: TokenAnswer) {
        for waiter in waiters {
            effects.append(.answer(waiter, answer))
        }
    }

    /// Gives the flight's place to whoever waits for one, as far as the account is not to be left alone now.
    private mutating func leaveAccount(_ key: TokenKey, _ flight: Flight, provider: Name? = nil, at now: Moment) {
        guard let provider = provider ?? definition.tokens[key.name]?.provider else { return }
        if accounts[provider]?.probe == flight.id { accounts[provider]?.probe = nil }
        if flight.isRunning { accounts[provider]?.leave() } else { accounts[provider]?.cancelQueued(key) }
        while let next = accounts[provider]?.next() {
            guard let flight = entries[next]?.flight, let token = definition.tokens[next.name] else {
                accounts[provider]?.leave()
                continue
            }
            if let setback = accounts[provider]?.setback, setback.isActive(at: now) {
                accounts[provider]?.leave()
                putOff(flight, next, because: setback, at: now)
                continue
            }
            entries[next]?.flight?.isRunning = true
            start(flight, next, token)
        }
    }

    /// Another mint brought what this one, which waited for its place, would have brought.
    private mutating func putOff(_ flight: Flight, _ key: TokenKey, because setback: Setback, at now: Moment) {
        entries[key]?.flight = nil
        flights[flight.id] = nil
        let failed = TokenAnswer.failed(setback.failure, retryAfter: setback.retryAfter(at: now))
        answer(flight.waiters, entries[key]?.servable(at: now).map { .served($0, isDegraded: true) } ?? failed)
        answer(Set(flight.insisters.keys), failed)
        schedule(key, at: now)
    }

    mutating func land(_ mint: Mint, _ key: TokenKey, _ flight: Flight, at now: Moment) {
        guard let definition = definition.tokens[key.name], var entry = entries[key] else { return }
        guard let lifetime = lifetime(of: mint, key, at: now) else {
            let detail = "the provider answered a token that has already ended"
            return fail(MintFailure(.transient, detail: detail), key, flight, at: now)
        }
        // The credential is the key, and another one by now.
        if lifetime.isEndless, flight.isOutdated { return beginAgain(key, flight, at: now) }
        warn(of: lifetime, key, &entry)
        let token = makeToken(mint, lifetime, at: now)
        uses.note(token, at: definition.provider)
        entry.mints += 1
        if key.subject != nil { userTotals[key.name]?.mints += 1 }
        entry.setback = nil
        if let held = entry.servable(at: now), !token.isProgress(over: held, for: flight) {
            let attempts = (entry.pause?.attempts ?? 0) + 1
            let delay = FailureClass.transient.backoff.delay(attempt: attempts, using: &random)
            entry.pause = TokenEntry.Pause(attempts: attempts, until: now.boot.advanced(by: delay))
            entries[key] = entry
            serveOn(held, key, flight)
        } else if hasStore, !lifetime.isEndless {
            var flight = flight
            flight.landing = token
            entry.flight = flight
            entries[key] = entry
            flights[flight.id] = key
            effects.append(.save(flight.id, stored(token, key, at: now)))
        } else {
            entries[key] = entry
            install(token, key, flight, at: now)
        }
        noteSuccess(of: definition.provider, mint, at: now)
    }

    /// - Returns: nil for a token that has ended.
    func lifetime(of mint: Mint, _ key: TokenKey, at now: Moment) -> Lifetime? {
        let limits = definition.limits
        let lifetime = Lifetime(
            of: mint,
            default: definition.tokens[key.name]?.defaultLifetime ?? limits.defaultLifetime,
            maximum: limits.maxLifetime,
            arrivedAt: now
        )
        guard let end = entries[key]?.sourceEnd else { return lifetime }
        return lifetime?.ending(by: end, requestedAt: mint.requestedAt, arrivedAt: now)
    }

    /// Puts the token into service and answers those who waited for it.
    mutating func install(_ token: ServedToken, _ key: TokenKey, _ flight: Flight, at now: Moment) {
        guard var entry = entries[key] else { return }
        entry.pause = nil
        // The key was replaced while this was on its way.
        entry.hurriedAt = earlyRefresh(of: token, key, at: now)
        entry.current = token
        entry.isAskedFor = !(flight.waiters.isEmpty && flight.insisters.isEmpty && entry.watchers.isEmpty)
        entry.isSuspended = false
        entry.hasHurried = false
        // Facts about a user are for the first mint; an issuer token is for the next one too.
        if entry.sourceEnd == nil { entry.details = nil }
        let watchers = entry.watchers
        entry.watchers = []
        entries[key] = entry
        dormant.remove(key)
        let event = BrokerEvent.minted(
            key,
            generation: token.generation,
            lifetime: token.lifetime,
            isForced: flight.purpose == .forced
        )
        effects.append(.report(event))
        answer(flight.waiters.union(watchers), .served(token, isDegraded: false))
        for (insister, refused) in flight.insisters {
            answer([insister], refused == token.text ? Self.sameAgain : .served(token, isDegraded: false))
        }
    }

    mutating func nextGeneration() -> Generation {
        let generation = generations.next()
        if hasStore, let newest = generations.needsBlock() { effects.append(.reserve(above: newest)) }
        return generation
    }

    private mutating func makeToken(_ mint: Mint, _ lifetime: Lifetime, at now: Moment) -> ServedToken {
        let generation = nextGeneration()
        return ServedToken(
            text: mint.text,
            generation: generation,
            issuedAt: mint.requestedAt.onCalendar(as: now),
            lifetime: lifetime,
            secretVersion: mint.secretVersion,
            scope: mint.scope,
            using: &random
        )
    }

    /// The provider's answer brought nothing new: the token held stays, and who wanted another one is told so.
    private mutating func serveOn(_ held: ServedToken, _ key: TokenKey, _ flight: Flight) {
        if !held.isEndless { effects.append(.report(.noProgress(key))) }
        answer(flight.waiters, .served(held, isDegraded: false))
        answer(Set(flight.insisters.keys), held.isEndless ? .notStale : Self.sameAgain)
    }

    private static let sameAgain = TokenAnswer.failed(
        MintFailure(.transient, detail: "the provider answered the same token again"),
        retryAfter: nil
    )

    private mutating func warn(of lifetime: Lifetime, _ key: TokenKey, _ entry: inout TokenEntry) {
        let hasWarned = entry.hasWarnedOfLifetime || userTotals[key.name]?.hasWarnedOfLifetime == true
        guard let remark = lifetime.remark, !hasWarned else { return }
        entry.hasWarnedOfLifetime = true
        userTotals[key.name]?.hasWarnedOfLifetime = true
        switch remark {
        case .unstated: effects.append(.report(.lifetimeUnstated(key, assumed: lifetime.duration)))
        case .capped: effects.append(.report(.lifetimeCapped(key, maximum: lifetime.duration)))
        }
    }

    private mutating func noteSuccess(of provider: Name, _ mint: Mint, at now: Moment) {
        if let skew = mint.clockSkew { accounts[provider]?.clockSkew = skew }
        if let date = mint.providerDate {
            wakeDormant(byProviderDate: date.advanced(by: now.boot.since(mint.requestedAt.boot)), at: now)
        }
        guard accounts[provider]?.setback != nil else { return }
        accounts[provider]?.setback = nil
        dropHold(of: provider)
        for key in keys(of: provider) {
            if entries[key]?.setback?.failure.concernsAccount == true { entries[key]?.setback = nil }
            schedule(key, at: now)
        }
    }

    mutating func fail(_ failure: MintFailure, _ key: TokenKey, _ flight: Flight, at now: Moment) {
        guard let provider = definition.tokens[key.name]?.provider, var entry = entries[key] else { return }
        let concernsAccount = failure.concernsAccount
        let previous = concernsAccount ? accounts[provider]?.setback : entry.setback
        let setback = Setback(
            failure,
            after: previous,
            isBeside: previous?.isActive(at: now) == true && accounts[provider]?.probe != flight.id,
            ofCheck: flight.purpose == .forced && entry.servable(at: now)?.isEndless == true && !entry.isDegraded,
            at: now,
            longestPause: definition.limits.retryAfterMax,
            using: &random
        )
        if concernsAccount { accounts[provider, default: ProviderAccount()].setback = setback }
        entry.setback = setback
        // What had a reason to be refreshed before its time still has it.
        if !setback.isOfCheck { entry.hurriedAt = setback.retryAt }
        entry.lastSetback = setback
        entry.failures += 1
        if key.subject != nil {
            userTotals[key.name]?.failures += 1
            userTotals[key.name]?.lastSetback = setback
        }
        // A key that the provider refuses is no credential any more.
        if entry.current?.isEndless == true, failure.failureClass == .secretRejected { entry.current = nil }
        entries[key] = entry
        guard hasStore, concernsAccount, let hold = hold(of: provider, at: now) else {
            return tell(setback, key, flight, at: now)
        }
        var flight = flight
        flight.setback = setback
        entries[key]?.flight = flight
        flights[flight.id] = key
        effects.append(.saveHold(flight.id, hold))
    }

    /// Answers those who waited for a mint that failed.
    mutating func tell(_ setback: Setback, _ key: TokenKey, _ flight: Flight, at now: Moment) {
        guard var entry = entries[key] else { return }
        let failure = setback.failure
        let token = entry.servable(at: now)
        let failed = TokenAnswer.failed(failure, retryAfter: setback.retryAfter(at: now))
        answer(flight.waiters, token.map { .served($0, isDegraded: true) } ?? failed)
        answer(Set(flight.insisters.keys), failed)
        if token == nil {
            answer(entry.watchers, failed)
            entry.watchers = []
        }
        entries[key] = entry
        let event = BrokerEvent.mintFailed(
            key,
            failure,
            attempts: setback.attempts,
            retryAfter: setback.retryAfter(at: now),
            stillServing: token != nil
        )
        effects.append(.report(event))
    }
}

extension ServedToken {
    /// Whether having this token is better than having `held`.
    ///
    /// The same text or an end no later brings nothing, and asking again at once would bring it again. An end in whole
    /// milliseconds is none later by less than one. A forced mint, and one that somebody has come to who wants another
    /// token, is about the text alone.
    fileprivate func isProgress(over held: ServedToken, for flight: Flight) -> Bool {
        guard text != held.text else { return false }
        let isForced = flight.purpose == .forced || !flight.insisters.isEmpty
        return isForced || isEndless || bootDeadline.since(held.bootDeadline) >= .milliseconds(1)
    }
}
