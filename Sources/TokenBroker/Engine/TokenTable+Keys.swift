// What becomes of cached tokens when their long-lived key has another version in force.

extension TokenTable {
    /// The secret has another version in force.
    ///
    /// Tokens of the one before are served on and refreshed early, each at a moment of its own over the secret's drain, so
    /// that the provider sees no herd. A credential that is the key itself is replaced at once.
    ///
    /// - Parameters:
    ///   - proofs: tokens that were minted to prove the version.
    ///   - isUrgent: whether the key before is not to be relied on any more, so that its tokens go within seconds.
    mutating func keyChanged(
        _ secret: Name,
        to version: SecretVersionNumber,
        proofs: [SecretProof] = [],
        isUrgent: Bool = false,
        at now: Moment
    ) {
        keysInForce[secret] = KeyInForce(version: version, since: now.boot, isUrgent: isUrgent)
        let accounts = definition.providers.values.filter { $0.secrets.contains(secret) }
        for account in accounts.sorted(by: { $0.name < $1.name }) {
            forgetSetbacks(of: account.name)
            renewEndless(of: account.name, at: now)
            for key in keys(of: account.name) { refreshEarly(key, after: secret, at: now) }
        }
        for proof in proofs { keep(proof, at: now) }
        for key in entries.keys { schedule(key, at: now) }
    }

    /// An earlier run changed the version in force: what it did not come to replace is refreshed by this one, which knows of
    /// each token what it was minted with.
    mutating func keyResumed(_ secret: Name, _ key: KeyInForce, at now: Moment) {
        keysInForce[secret] = key
        for account in definition.providers.values.sorted(by: { $0.name < $1.name }) where account.secret == secret {
            for key in keys(of: account.name) {
                refreshEarly(key, after: secret, at: now)
                schedule(key, at: now)
            }
        }
    }

    /// What was minted with a version of the secret; nil where there is nothing of it any more.
    func lastUse(of secret: Name, _ version: SecretVersionNumber?, at now: Moment) -> SecretUse? {
        var end: BootInstant?
        var isCredential = false
        for provider in definition.providers.values where provider.secrets.contains(secret) {
            // Tokens say which version of the account's key they are of, and nothing of its other secrets.
            let version = provider.secret == secret ? version : nil
            if let last = uses.end(of: provider.name, version), last > now.boot { end = max(end ?? last, last) }
            for key in keys(of: provider.name) {
                guard let current = entries[key]?.current, current.isEndless else { continue }
                if version == nil || current.secretVersion == version { isCredential = true }
            }
        }
        return end == nil && !isCredential ? nil : SecretUse(lastEnd: end, isCredential: isCredential)
    }

    /// Until when a version that was replaced has to stay: while a token of it may live, also one that is on its way.
    func lastEnd(ofReplaced version: SecretVersionNumber, of secret: Name, at now: Moment) -> BootInstant? {
        var ends: [BootInstant] = []
        for provider in definition.providers.values where provider.secret == secret {
            if let end = uses.end(of: provider.name, version) { ends.append(end) }
            for key in keys(of: provider.name) {
                if let flight = entries[key]?.flight, flight.isOutdated { ends.append(flight.deadline) }
            }
        }
        return ends.max().flatMap { $0 > now.boot ? $0 : nil }
    }

    private mutating func refreshEarly(_ key: TokenKey, after secret: Name, at now: Moment) {
        guard let current = entries[key]?.current,
            let instant = earlyRefresh(of: current, key, after: secret, at: now)
        else { return }
        let hurriedAt = entries[key]?.hurriedAt ?? instant
        entries[key]?.hurriedAt = min(hurriedAt, instant)
    }

    /// When a token that was minted with another version of its account's key is replaced; nil for one that is not to be.
    mutating func earlyRefresh(of token: ServedToken, _ key: TokenKey, at now: Moment) -> BootInstant? {
        guard !keysInForce.isEmpty, token.secretVersion != nil, let definition = definition.tokens[key.name],
            let account = self.definition.providers[definition.provider]
        else { return nil }
        return earlyRefresh(of: token, key, after: account.secret, at: now)
    }

    private mutating func earlyRefresh(
        of token: ServedToken,
        _ key: TokenKey,
        after secret: Name,
        at now: Moment
    ) -> BootInstant? {
        guard !token.isEndless, let inForce = keysInForce[secret],
            let name = definition.tokens[key.name]?.provider
        else { return nil }
        // Tokens say which version of the account's key they are of, and nothing of its other secrets.
        if definition.providers[name]?.secret == secret, token.secretVersion == inForce.version { return nil }
        let drain = definition.secrets[secret]?.drain ?? SecretDrain.standard(forLifetime: token.lifetime)
        // What is left of the drain; where it is over, because the broker was down, still no herd.
        let soonest = min(drain, SecretDrain.urgent)
        let span = inForce.isUrgent ? SecretDrain.urgent : max(drain - now.boot.since(inForce.since), soonest)
        return now.boot.advanced(by: span.scaled(by: Double.random(in: 0..<1, using: &random)))
    }

    /// Takes a token that proved the key into service, for those too who wait for a mint with the key before. It can be long
    /// since the key was proven: the definition may be another by now, and the token's life be half over, where the usual
    /// refresh is better.
    private mutating func keep(_ proof: SecretProof, at now: Moment) {
        guard let entry = entries[proof.key], entry.flight?.isEnding != true,
            definition.origin(of: proof.key.name) == proof.origin,
            let lifetime = lifetime(of: proof.mint, proof.key, at: now)
        else { return }
        let age = now.boot.since(proof.mint.requestedAt.boot)
        guard entry.servable(at: now) == nil || age < lifetime.duration / 2 else { return }
        lastFlight += 1
        let deadline = now.boot.advanced(by: definition.limits.mintDeadline)
        var flight = Flight(id: FlightID(number: lastFlight), purpose: .forced, deadline: deadline)
        if let outdated = giveUpFlight(of: proof.key, at: now) {
            flight.waiters = outdated.waiters
            flight.insisters = outdated.insisters
        }
        entries[proof.key]?.hurriedAt = nil
        land(proof.mint, proof.key, flight, at: now)
    }
}

/// The version of a key that is minted with.
struct KeyInForce {
    let version: SecretVersionNumber
    let since: BootInstant
    /// Whether the version before is not to be relied on any more.
    let isUrgent: Bool
}

/// For how long the tokens of a replaced key are replaced.
enum SecretDrain {
    /// For a key that is not to be relied on: soon, and still no herd.
    static let urgent: Duration = .seconds(10)
    /// How long a replaced key is kept where it is the credential itself: copies of it may be in use by apps.
    static let ofCredential: Duration = .seconds(24 * 3600)
    /// How long a replaced key is kept where nothing was minted with it: long enough to find out that the new one fails.
    static let shortestProbation: Duration = .seconds(60)

    /// A quarter of a token's lifetime: well ahead of its own refresh, and as thin as the usual load four times over.
    static func standard(forLifetime lifetime: Duration) -> Duration { lifetime / 4 }
}

/// A token that was minted to prove a key.
struct SecretProof: Sendable {
    let key: TokenKey
    /// Of which account, with which settings, it was minted.
    let origin: String?
    let mint: Mint
}
