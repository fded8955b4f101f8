// What outlives the process: tokens before they are served, and pauses that a provider asked for.

extension TokenTable {
    /// The store works again after it did not: it lets go of what was dropped or replaced meanwhile, though that be longer
    /// lived than what replaced it, and gets all that is in service, and numbers come from it.
    mutating func storeRecovered(holding state: RestoredState, at now: Moment) {
        if generations.isWithoutBlock { effects.append(.reserve(above: generations.newest)) }
        for row in state.tokens where !isHeld(row.value.key, at: now) { effects.append(.remove(row.value.key)) }
        for row in state.holds where hold(of: row.value.key.account, at: now)?.key != row.value.key {
            effects.append(.removeHold(row.value.key))
        }
        refill(at: now)
    }

    private func isHeld(_ stored: StoredTokenKey, at now: Moment) -> Bool {
        TokenKey(stored).map { dormant.contains($0) || lasting($0, at: now) != nil } ?? false
    }

    mutating func refill(at now: Moment) {
        saveHolds(at: now)
        effects.append(.refill(rows(at: now), isPart: !dormant.isEmpty))
    }

    /// The store took the flight's token or pause, or cannot: it is served or told now.
    mutating func saved(_ id: FlightID, at now: Moment) {
        guard let key = flights[id], let flight = entries[key]?.flight, flight.isEnding else { return }
        flights[id] = nil
        entries[key]?.flight = nil
        if let setback = flight.setback { tell(setback, key, flight, at: now) }
        if let token = flight.landing { serve(token, key, flight, at: now) }
        schedule(key, at: now)
    }

    private mutating func serve(_ token: ServedToken, _ key: TokenKey, _ flight: Flight, at now: Moment) {
        if token.bootDeadline.since(now.boot) >= ServedToken.shortestServed {
            install(token.onCalendar(as: now), key, flight, at: now)
        } else {
            let detail = "the token ended before the store had taken it"
            fail(MintFailure(.transient, detail: detail), key, flight, at: now)
        }
    }

    /// New generation numbers have come; nil where there were none to be had.
    mutating func reserved(_ block: GenerationBlock?) {
        generations.take(block)
    }

    /// Everything in service or about to be, and every pause, for a store whose rows tell the time by a calendar clock that
    /// was set since.
    mutating func saveAll(at now: Moment) {
        saveHolds(at: now)
        for row in rows(at: now) { effects.append(.saveAgain(row)) }
    }

    private mutating func saveHolds(at now: Moment) {
        for provider in accounts.keys {
            if let hold = hold(of: provider, at: now) { effects.append(.saveHold(nil, hold)) }
        }
    }

    /// The rows for everything in service or about to be.
    private func rows(at now: Moment) -> [StoredToken] {
        entries.keys.compactMap { key in lasting(key, at: now).map { stored($0, key, at: now) } }
    }

    /// The key's token that a restart has to find in the store.
    private func lasting(_ key: TokenKey, at now: Moment) -> ServedToken? {
        guard let entry = entries[key], let token = entry.flight?.landing ?? entry.current, !token.isEndless else {
            return nil
        }
        return token.condition(at: now) == .dead ? nil : token
    }

    /// The row for a token. Its wall instant is the one that the calendar clock would have shown at the token's birth as
    /// that clock is set now: another boot knows nothing of what it was set by in between. One that the calendar clock
    /// says is dead keeps its own: a restart is to doubt it as this run does.
    func stored(_ token: ServedToken, _ key: TokenKey, at now: Moment) -> StoredToken {
        let token = token.condition(at: now) == .suspended ? token : token.onCalendar(as: now)
        return StoredToken(
            key: StoredTokenKey(key),
            definitionDigest: definition.origin(of: key.name) ?? "",
            text: token.text.bytes,
            generation: token.generation,
            issuedAt: token.issuedAt,
            lifetime: token.lifetime,
            providerExpiry: token.providerExpiry,
            refreshAge: token.refreshPoint.since(token.issuedAt.boot),
            secretVersion: token.secretVersion?.number,
            scope: token.scope?.text
        )
    }

    // MARK: Holds

    /// The row for a pause that the provider asked for. Other setbacks end with the process: what an operator mended before
    /// a restart is tried at once.
    func hold(of provider: Name, at now: Moment) -> StoredHold? {
        guard let setback = accounts[provider]?.setback, setback.failure.holdsAccount else { return nil }
        return StoredHold(
            key: HoldKey(account: provider, endpoint: Self.mintEndpoint),
            failureCode: setback.failure.failureClass.code,
            detail: setback.failure.detail,
            providerStatus: setback.failure.providerStatus,
            providerCode: setback.failure.providerCode,
            providerRequestID: setback.failure.providerRequestID,
            until: now.advanced(by: setback.retryAt.since(now.boot)),
            attempts: setback.attempts
        )
    }

    mutating func dropHold(of provider: Name) {
        effects.append(.removeHold(HoldKey(account: provider, endpoint: Self.mintEndpoint)))
    }

    private static let mintEndpoint = "mint"
}

extension StoredTokenKey {
    init(_ key: TokenKey) {
        self.init(name: key.name, subject: key.subject?.storedText)
    }
}

extension TokenKey {
    /// - Returns: nil for a subject that this version did not write.
    init?(_ stored: StoredTokenKey) {
        guard let subject = stored.subject else {
            self.init(stored.name)
            return
        }
        guard let subject = Subject(storedText: subject) else { return nil }
        self.init(stored.name, subject)
    }
}

extension BrokerDefinition {
    /// What decides which token `name` stands for, as a text: same account, same request, same token.
    ///
    /// It names no value that is secret. Limits, grants and trust are not in it: they change nothing about the token.
    func origin(of name: Name) -> String? {
        guard let token = tokens[name], let provider = providers[token.provider] else { return nil }
        let parts = [
            provider.kind, provider.baseURL, token.provider.text, provider.secret.text, provider.options.text,
            token.options.text, token.isPerUser ? "user" : "shared",
        ]
        return parts.joined(separator: "\n")
    }
}
