// What an earlier run left in the store becomes what this one serves.

extension TokenTable {
    /// Takes what an earlier run left behind, for entries that have nothing newer: what this run minted itself, before
    /// the store could be read, counts.
    ///
    /// A token comes back under its generation only where it is certain that no later one of its name was handed out. It
    /// is not where this run has been at work before, where an earlier one served what the store could not take in, and
    /// where the store gives no numbers now, so that it may not have taken anything in then.
    ///
    /// - Parameters:
    ///   - bootID: of the present boot: only rows of the same one have a boot clock that counts.
    ///   - isLate: whether the table has been at work before.
    mutating func restore(_ state: RestoredState, bootID: BootID, isLate: Bool = false, at now: Moment) {
        let isBehind = state.isBehind || generations.isWithoutBlock
        let isOvertaken = isLate || isBehind
        if isOvertaken, let newest = state.tokens.lazy.map({ $0.value.generation }).max() {
            generations.skip(through: newest)
        }
        let newestWrite = state.newestWrite ?? now.wall
        // A clock that was set back since the start tells rows of another boot nothing: the latest that it showed counts.
        let calendar = max(now.wall, WallInstant(milliseconds: latestOffset).advanced(by: now.boot.sinceBoot))
        let origins = origins()
        let known = entries.keys
        reserveCapacity(for: state.tokens.count)
        for row in state.holds { restore(row.value, isSameBoot: row.stamp.bootID == bootID, at: now) }
        for row in state.tokens {
            var stored = row.value
            guard let key = TokenKey(stored.key), origins[key.name]?.matches(stored, key) == true,
                let home = home(for: key)
            else {
                effects.append(.remove(stored.key))
                continue
            }
            if isOvertaken { stored.generation = nextGeneration() }
            if row.stamp.bootID == bootID {
                adopt(stored, key, home, issuedAt: stored.issuedAt, at: now)
            } else if isBehind {
                // What the calendar clock was set by since the row was written may be what the store could not take in.
                effects.append(.remove(stored.key))
            } else if now.wall >= newestWrite {
                adopt(stored, key, home, rest: stored.deadline.wall.since(calendar), at: now)
            } else {
                dormant.add(stored, key, newestWrite: newestWrite)
                if home == .newEntry { addUser(key, at: now) }
            }
        }
        resumePaces(with: state.tokens, bootID: bootID, at: now)
        for key in known { schedule(key, at: now) }
        droppedUnread = nil
        if isLate || state.isBehind { refill(at: now) }
    }

    /// What a token out of the store has to come from, worked out once for each name: there can be a hundred thousand users'
    /// tokens of one.
    private struct Origin {
        let text: String?
        let isPerUser: Bool

        func matches(_ stored: StoredToken, _ key: TokenKey) -> Bool {
            text == stored.definitionDigest && isPerUser == (key.subject != nil)
        }
    }

    private func origins() -> [Name: Origin] {
        Dictionary(
            uniqueKeysWithValues: definition.tokens.map { name, token in
                (name, Origin(text: definition.origin(of: name), isPerUser: token.isPerUser))
            }
        )
    }

    private mutating func reserveCapacity(for count: Int) {
        entries.reserveCapacity(entries.count + count)
        users.reserveCapacity(count)
        due.reserveCapacity(due.count + count)
    }

    /// The calendar clock is believed again: what had to wait for it is adopted.
    mutating func wakeDormant(at now: Moment) {
        for (key, stored) in dormant.wake(at: now.wall) where entries[key]?.current == nil {
            adopt(stored, key, homeOfDormant(key), rest: stored.deadline.wall.since(now.wall), at: now)
            schedule(key, at: now)
        }
    }

    /// A provider's answer told the time: what had to wait for it is adopted, with what is left by the provider's clock.
    mutating func wakeDormant(byProviderDate date: WallInstant, at now: Moment) {
        for (key, stored) in dormant.wake(at: date) where entries[key]?.current == nil {
            adopt(stored, key, homeOfDormant(key), rest: stored.providerExpiry.since(date), at: now)
            schedule(key, at: now)
        }
    }

    /// What takes a token out of the store. It is told once for each token: every search of the table counts at a start
    /// with a hundred thousand of them.
    private enum Home { case entry, newEntry }

    /// Nil where something newer than the store's token is known of the key, or there is no room for it.
    private func home(for key: TokenKey) -> Home? {
        guard droppedUnread?.contains(key.name) != true else { return nil }
        guard let entry = entries[key] else { return users.count < definition.limits.endUsers ? .newEntry : nil }
        return entry.current == nil && entry.mints == 0 ? .entry : nil
    }

    private func homeOfDormant(_ key: TokenKey) -> Home { entries.contains(key) ? .entry : .newEntry }

    /// Adopts a token of another boot: what is left of it is told by the calendar alone.
    private mutating func adopt(
        _ stored: StoredToken,
        _ key: TokenKey,
        _ home: Home,
        rest: Duration,
        at now: Moment
    ) {
        let age = max(stored.lifetime - rest, .zero)
        adopt(stored, key, home, issuedAt: now.advanced(by: .zero - age), at: now)
    }

    private mutating func adopt(
        _ stored: StoredToken,
        _ key: TokenKey,
        _ home: Home,
        issuedAt: Moment,
        at now: Moment
    ) {
        guard let token = ServedToken(stored, issuedAt: issuedAt), token.condition(at: now) != .dead else {
            effects.append(.remove(stored.key))
            return
        }
        if let account = definition.tokens[key.name]?.provider { uses.note(token, at: account) }
        switch home {
        case .entry:
            let hurriedAt = earlyRefresh(of: token, key, at: now)
            entries[key]?.current = token
            entries[key]?.hurriedAt = hurriedAt
        case .newEntry: addUser(key, holding: token, at: now)
        }
    }

    /// An issuer token is not kept: without it there is no other token for its user, until a caller brings it again.
    private mutating func addUser(_ key: TokenKey, holding token: ServedToken? = nil, at now: Moment) {
        var entry = TokenEntry()
        entry.current = token
        entry.hurriedAt = token.flatMap { earlyRefresh(of: $0, key, at: now) }
        if case .issuerToken = key.subject { entry.sourceEnd = now.boot }
        schedule(key, new: &entry, at: now)
        entries.add(entry, key)
        users.use(key)
        userTotals[key.name, default: UserTotals()].users += 1
    }

    /// The pace of mints goes on where the run before left it: one that ended in the midst of a rush has used up what the
    /// provider allows, and this one must not ask for as much again.
    ///
    /// The store's tokens tell when they were asked for, which costs no write. What left none there is not counted: a mint
    /// that failed or was under way, and a token that was replaced or dropped since. Whom a start was for is not known
    /// any more, so that all count as those for new users, and users who are known keep their share.
    private mutating func resumePaces(with rows: [Stamped<StoredToken>], bootID: BootID, at now: Moment) {
        let paces = definition.tokens.compactMapValues { token in pace(of: token).map { (token.provider, $0) } }
        guard !paces.isEmpty else { return }
        for row in rows {
            guard let (account, pace) = paces[row.value.key.name] else { continue }
            let issuedAt = row.value.issuedAt
            let isSameBoot = row.stamp.bootID == bootID
            let age = isSameBoot ? now.boot.since(issuedAt.boot) : now.wall.since(issuedAt.wall)
            guard age >= .zero, age < pace.window else { continue }
            let startedAt = now.boot.advanced(by: .zero - age)
            accounts[account, default: ProviderAccount()].noteStart(pace, isKnown: false, at: startedAt)
        }
    }

    private mutating func restore(_ hold: StoredHold, isSameBoot: Bool, at now: Moment) {
        let rest = isSameBoot ? hold.until.boot.since(now.boot) : hold.until.wall.since(now.wall)
        // An account that was asked in this run tells by itself how it is.
        guard rest > .zero, definition.providers[hold.key.account] != nil, accounts[hold.key.account] == nil else {
            effects.append(.removeHold(hold.key))
            return
        }
        let pause = min(rest, definition.limits.retryAfterMax)
        let failure = MintFailure(
            FailureClass(code: hold.failureCode) ?? .rateLimited,
            detail: hold.detail,
            providerStatus: hold.providerStatus,
            providerCode: hold.providerCode,
            providerRequestID: hold.providerRequestID,
            askedPause: pause
        )
        accounts[hold.key.account, default: ProviderAccount()].setback = Setback(
            failure,
            attempts: hold.attempts,
            failedAt: now,
            retryAt: now.boot.advanced(by: pause)
        )
    }
}
