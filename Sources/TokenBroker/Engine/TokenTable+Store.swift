// What outlives the process: tokens before they are served, and pauses that a provider asked for.

extension TokenTable {
    /// Takes what an earlier run left behind, for entries that have nothing newer: what this run minted itself, before
    /// the store could be read, counts.
    ///
    /// Where numbers were handed out before, a token out of the store gets another one: its own is older than theirs.
    ///
    /// - Parameters:
    ///   - bootID: of the present boot: only rows of the same one have a boot clock that counts.
    ///   - isLate: whether the table has been at work before.
    mutating func restore(_ state: RestoredState, bootID: BootID, isLate: Bool = false, at now: Moment) {
        let newestWrite = state.newestWrite ?? now.wall
        // A clock that was set back since the start tells rows of another boot nothing: the latest that it showed counts.
        let calendar = max(now.wall, WallInstant(milliseconds: latestOffset).advanced(by: now.boot.sinceBoot))
        // Once for each name: there can be a hundred thousand users' tokens of one.
        let origins = Dictionary(uniqueKeysWithValues: definition.tokens.keys.map { ($0, definition.origin(of: $0)) })
        entries.reserveCapacity(entries.count + state.tokens.count)
        users.reserveCapacity(state.tokens.count)
        for row in state.tokens {
            let stored = row.value
            guard let key = TokenKey(stored.key), isWanted(key), origins[key.name] == stored.definitionDigest,
                definition.tokens[key.name]?.isPerUser == (key.subject != nil)
            else {
                effects.append(.remove(stored.key))
                continue
            }
            if row.stamp.bootID == bootID {
                adopt(stored, key, issuedAt: stored.issuedAt, at: now)
            } else if now.wall >= newestWrite {
                adopt(stored, key, rest: stored.deadline.wall.since(calendar), at: now)
            } else if !isLate {
                if entries[key] == nil { addUser(key, at: now) }
                dormant.add(stored, key, newestWrite: newestWrite)
            }
            if isLate { renumber(key) }
        }
        for row in state.holds { restore(row.value, isSameBoot: row.stamp.bootID == bootID, at: now) }
        for key in entries.keys { schedule(key, at: now) }
        droppedUnread = nil
    }

    private mutating func renumber(_ key: TokenKey) {
        guard entries[key]?.current != nil else { return }
        let generation = nextGeneration()
        entries[key]?.current?.generation = generation
    }

    /// The store works again after it did not: it gets all that is in service, and numbers come from it.
    mutating func storeRecovered(at now: Moment) {
        if let newest = generations.newestWithoutBlock { effects.append(.reserve(above: newest)) }
        saveAll(at: now)
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
            install(token.onCalendar(as: now), key, flight)
        } else {
            let detail = "the token ended before the store had taken it"
            fail(MintFailure(.transient, detail: detail), key, flight, at: now)
        }
    }

    /// New generation numbers have come; nil where there were none to be had.
    mutating func reserved(_ block: GenerationBlock?) {
        generations.take(block)
    }

    /// Everything in service or about to be, and every pause, for a store that works again, or whose rows tell the time by
    /// a calendar clock that was set since.
    mutating func saveAll(at now: Moment) {
        for provider in accounts.keys {
            if let hold = hold(of: provider, at: now) { effects.append(.saveHold(nil, hold)) }
        }
        for key in entries.keys {
            guard let entry = entries[key], let token = entry.flight?.landing ?? entry.current, !token.isEndless,
                token.condition(at: now) != .dead
            else { continue }
            effects.append(.saveAgain(stored(token, key, at: now)))
        }
    }

    /// The row for a token. Its wall instant is the one that the calendar clock would have shown at the token's birth as
    /// that clock is set now: another boot knows nothing of what it was set by in between.
    func stored(_ token: ServedToken, _ key: TokenKey, at now: Moment) -> StoredToken {
        let token = token.onCalendar(as: now)
        return StoredToken(
            key: StoredTokenKey(key),
            definitionDigest: definition.origin(of: key.name) ?? "",
            text: token.text.bytes,
            generation: token.generation,
            issuedAt: token.issuedAt,
            lifetime: token.lifetime,
            providerExpiry: token.providerExpiry,
            refreshAge: token.refreshPoint.since(token.issuedAt.boot),
            secretVersion: token.secretVersion?.number
        )
    }

    /// The calendar clock is believed again: what had to wait for it is adopted.
    mutating func wakeDormant(at now: Moment) {
        for (key, stored) in dormant.wake(at: now.wall) where entries[key]?.current == nil {
            adopt(stored, key, rest: stored.deadline.wall.since(now.wall), at: now)
            schedule(key, at: now)
        }
    }

    /// A provider's answer told the time: what had to wait for it is adopted, with what is left by the provider's clock.
    mutating func wakeDormant(byProviderDate date: WallInstant, at now: Moment) {
        for (key, stored) in dormant.wake(at: date) where entries[key]?.current == nil {
            adopt(stored, key, rest: stored.providerExpiry.since(date), at: now)
            schedule(key, at: now)
        }
    }

    /// Whether the key's token out of the store is newer than what is known of it, and there is room for it.
    private func isWanted(_ key: TokenKey) -> Bool {
        guard droppedUnread?.contains(key.name) != true else { return false }
        guard let entry = entries[key] else { return users.count < definition.limits.endUsers }
        return entry.current == nil && entry.mints == 0
    }

    /// Adopts a token of another boot: what is left of it is told by the calendar alone.
    private mutating func adopt(_ stored: StoredToken, _ key: TokenKey, rest: Duration, at now: Moment) {
        let age = max(stored.lifetime - rest, .zero)
        adopt(stored, key, issuedAt: now.advanced(by: .zero - age), at: now)
    }

    private mutating func adopt(_ stored: StoredToken, _ key: TokenKey, issuedAt: Moment, at now: Moment) {
        guard let token = ServedToken(stored, issuedAt: issuedAt), token.condition(at: now) != .dead else {
            effects.append(.remove(stored.key))
            return
        }
        if entries[key] == nil { addUser(key, at: now) }
        entries[key]?.current = token
    }

    /// An issuer token is not kept: without it there is no other token for its user, until a caller brings it again.
    private mutating func addUser(_ key: TokenKey, at now: Moment) {
        var entry = TokenEntry()
        if case .issuerToken = key.subject { entry.sourceEnd = now.boot }
        entries[key] = entry
        users.use(key)
        userTotals[key.name, default: UserTotals()].users += 1
    }

    // MARK: Holds

    /// The row for a pause that the provider asked for. Other setbacks end with the process: what an operator mended before
    /// a restart is tried at once.
    func hold(of provider: Name, at now: Moment) -> StoredHold? {
        guard let setback = accounts[provider]?.setback, case .rateLimited = setback.failure.failureClass else {
            return nil
        }
        return StoredHold(
            key: HoldKey(account: provider, endpoint: Self.mintEndpoint),
            failureCode: setback.failure.failureClass.code,
            detail: setback.failure.detail,
            until: now.advanced(by: setback.retryAt.since(now.boot)),
            attempts: setback.attempts
        )
    }

    mutating func dropHold(of provider: Name) {
        effects.append(.removeHold(HoldKey(account: provider, endpoint: Self.mintEndpoint)))
    }

    private static let mintEndpoint = "mint"

    private mutating func restore(_ hold: StoredHold, isSameBoot: Bool, at now: Moment) {
        let rest = isSameBoot ? hold.until.boot.since(now.boot) : hold.until.wall.since(now.wall)
        // An account that was asked in this run tells by itself how it is.
        guard rest > .zero, definition.providers[hold.key.account] != nil, accounts[hold.key.account] == nil else {
            effects.append(.removeHold(hold.key))
            return
        }
        let pause = min(rest, definition.limits.retryAfterMax)
        let failure = MintFailure(.rateLimited(retryAfter: pause), detail: hold.detail)
        accounts[hold.key.account, default: ProviderAccount()].setback = Setback(
            failure,
            attempts: hold.attempts,
            failedAt: now,
            retryAt: now.boot.advanced(by: pause)
        )
    }
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
