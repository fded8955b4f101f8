// When the next attempt is due, and what happens then.

extension TokenTable {
    /// The instant that ``nextWake`` named has come.
    mutating func wake(at now: Moment) {
        while let (instant, key) = due.first, instant <= now.boot {
            _ = due.popFirst()
            // One that was brought forward since leaves its old instant behind.
            guard entries[key]?.scheduledAt == instant else { continue }
            entries[key]?.scheduledAt = nil
            act(on: key, at: now)
            schedule(key, at: now)
        }
    }

    /// The calendar clock was set: what is dead by it alone is put aside and replaced, a little apart from one another.
    mutating func wallClockStepped(at now: Moment) {
        latestOffset = max(latestOffset, now.calendarOffset)
        for key in entries.keys.sorted() {
            guard let entry = entries[key], let current = entry.current else { continue }
            let isSuspended = current.condition(at: now) == .suspended
            if isSuspended && !entry.isSuspended {
                effects.append(.report(.suspended(key)))
                let delay = Self.suspensionSpread.scaled(by: Double.random(in: 0..<1, using: &random))
                entries[key]?.hurriedAt = now.boot.advanced(by: delay)
            }
            if !isSuspended, entry.isSuspended {
                let hurriedAt = earlyRefresh(of: current, key, at: now)
                entries[key]?.hurriedAt = hurriedAt
            }
            entries[key]?.isSuspended = isSuspended
            schedule(key, at: now)
        }
        wakeDormant(at: now)
        if hasStore { saveAll(at: now) }
    }

    /// Over how long the replacements of suspended tokens are spread.
    private static let suspensionSpread: Duration = .seconds(3)

    /// Notes when the entry is due next.
    ///
    /// An instant that has become too early stays: when it comes, the entry is looked at and noted anew. So each entry has
    /// one instant that counts, and those brought forward leave one behind each until it passes.
    mutating func schedule(_ key: TokenKey, at now: Moment) {
        guard let instant = unscheduledDue(key, at: now) else { return }
        entries[key]?.scheduledAt = instant
        due.push(key, at: instant)
        if due.count > 2 * entries.count + 64 { dropStaleInstants() }
    }

    /// Notes when an entry is due first that is not in the table yet.
    mutating func schedule(_ key: TokenKey, new entry: inout TokenEntry, at now: Moment) {
        guard let instant = nextDue(key, entry, at: now) else { return }
        entry.scheduledAt = instant
        due.push(key, at: instant)
    }

    /// When the entry is due next; nil where it is looked at by then anyway.
    private func unscheduledDue(_ key: TokenKey, at now: Moment) -> BootInstant? {
        guard let entry = entries[key], let instant = nextDue(key, entry, at: now) else { return nil }
        if let scheduled = entry.scheduledAt, scheduled <= instant { return nil }
        return instant
    }

    private mutating func dropStaleInstants() {
        due.removeAll()
        for key in entries.keys {
            if let instant = entries[key]?.scheduledAt { due.push(key, at: instant) }
        }
    }

    private func nextDue(_ key: TokenKey, _ entry: TokenEntry, at now: Moment) -> BootInstant? {
        if let flight = entry.flight { return flight.deadline }
        guard let token = definition.tokens[key.name] else { return nil }
        guard let attempt = entry.nextAttempt(token.refresh, at: now) else {
            // What waits for the right time has its end told by that.
            guard key.subject != nil, !dormant.contains(key) else { return nil }
            return endOfWatch(entry, noLaterThan: endOfUse(entry, at: now))
        }
        var instant = attempt
        if let account = accounts[token.provider], let setback = account.setback {
            instant = max(instant, setback.retryAt)
            // Whoever waits for the probe is scheduled anew when that ends; this is the net under it.
            if account.probe != nil { instant = max(instant, now.boot.advanced(by: .seconds(1))) }
        }
        return endOfWatch(entry, noLaterThan: max(instant, paceEnd(token, entry, at: now) ?? instant))
    }

    /// Who waits for the next token is not kept waiting when the present one has ended.
    private func endOfWatch(_ entry: TokenEntry, noLaterThan instant: BootInstant) -> BootInstant {
        guard let current = entry.current, !entry.watchers.isEmpty else { return instant }
        return min(instant, current.endOfService)
    }

    /// When a user's entry that is not refreshed any more has nothing left to say.
    ///
    /// It outlives its token until its budgets of forced mints are full: else whatever drops the token would give the next
    /// one a new budget.
    private func endOfUse(_ entry: TokenEntry, at now: Moment) -> BootInstant {
        var end = max(entry.current?.bootDeadline ?? now.boot, entry.budgetsFullAgainAt)
        if let setback = entry.setback {
            // An issuer token that was refused once is remembered while it lives.
            end = max(end, setback.retryAt, entry.sourceEnd ?? now.boot)
        }
        return end
    }

    private mutating func act(on key: TokenKey, at now: Moment) {
        guard let entry = entries[key], let instant = nextDue(key, entry, at: now), instant <= now.boot else { return }
        if let flight = entry.flight, flight.isEnding {
            // A store that takes this long does not keep a good token, or an answer, from those who wait for it.
            saved(flight.id, at: now)
        } else if let flight = entry.flight {
            if flight.isRunning { effects.append(.cancelMint(flight.id)) }
            let detail = "the provider did not answer within the time allowed for a mint"
            flightEnded(flight.id, .failure(MintFailure(.transient, detail: detail)), at: now)
        } else if !entry.watchers.isEmpty, entry.current?.condition(at: now) == .dead,
            let refusal = refusal(for: key, entry, at: now) ?? endOfSource(entry, at: now)
        {
            answer(entry.watchers, refusal)
            entries[key]?.watchers = []
        } else if let token = definition.tokens[key.name], entry.nextAttempt(token.refresh, at: now) != nil {
            join(key, purpose: .renewal, at: now)
        } else {
            forget(key, telling: entry.sourceEnd == nil ? .withdrawn : Self.endedIssuerToken)
        }
    }

    /// What a caller is told whose issuer token ends with the token that was minted from it.
    private func endOfSource(_ entry: TokenEntry, at now: Moment) -> TokenAnswer? {
        entry.sourceEnd == nil || entry.nextAttempt(.ahead, at: now) != nil ? nil : Self.endedIssuerToken
    }

    // MARK: Pauses

    /// Whether a caller's `min_ttl` may start a mint, or join one, beside a token that is still valid.
    mutating func mayHurry(_ key: TokenKey, _ entry: TokenEntry, at now: Moment) -> Bool {
        if entry.flight != nil { return true }
        guard !entry.hasHurried, !entry.isPausing(at: now), refusal(for: key, entry, at: now) == nil else {
            return false
        }
        let isAllowed = entries[key]?.hurries.take(at: now.boot) ?? false
        entries[key]?.hasHurried = isAllowed
        return isAllowed
    }

    /// What a caller is told while no attempt may be made.
    func refusal(for key: TokenKey, _ entry: TokenEntry, at now: Moment) -> TokenAnswer? {
        if let setback = entry.setback, setback.isActive(at: now) {
            return .failed(setback.failure, retryAfter: setback.retryAfter(at: now))
        }
        let account = account(of: key)
        if !account.allowsStart(at: now), let setback = account.setback {
            return .failed(setback.failure, retryAfter: setback.retryAfter(at: now))
        }
        guard let token = definition.tokens[key.name], let end = paceEnd(token, entry, at: now) else { return nil }
        return .failed(Self.paced, retryAfter: max(1, end.since(now.boot).wholeSecondsRoundedUp))
    }

    // MARK: Pace

    private static let paced = MintFailure(
        .rateLimited,
        detail: "the broker keeps below the provider's limit of mints; ask again when the pause is over"
    )

    func pace(of token: TokenDefinition) -> MintPace? {
        definition.providers[token.provider]?.pace
    }

    /// When the account's pace lets a mint for the entry start; nil where that is now.
    private func paceEnd(_ token: TokenDefinition, _ entry: TokenEntry, at now: Moment) -> BootInstant? {
        accounts[token.provider]?.nextStart(pace(of: token), isKnown: entry.isKnown, at: now.boot)
    }

    func keys(of provider: Name) -> [TokenKey] {
        entries.keys.filter { definition.tokens[$0.name]?.provider == provider }
    }
}
