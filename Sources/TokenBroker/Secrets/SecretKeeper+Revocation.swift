// The end of keys that providers made for us: after their versions have retired, and until it is done.

extension SecretKeeper {
    /// A request that nobody is waiting for any more: an earlier run's, or one whose end could not be kept.
    ///
    /// - Parameter isOurs: whether whoever is making a key for the secret asks for it, before making one.
    func abandonRequest(of name: Name, isOurs: Bool = false) async {
        guard let version = lives[name]?.requested, let key = version.issued, isOurs || !underWay.contains(name) else {
            return
        }
        let now = ports.clock.now().wall
        let failure = MintFailure(.transient, detail: "what came of asking the provider for it is not known")
        let isDone: Void? = try? await step(name) { (life) throws(SecretStepRefusal) in
            try life.abandon(version.number, because: failure.detail, at: now)
        }
        if isDone != nil { tell(name, version.number, .lost(key, failure)) }
    }

    /// Revokes what is due. Apart from everything else: a provider that hangs holds up nothing but this.
    func beginRevocations(of name: Name) {
        let now = ports.clock.now().boot
        for version in lives[name]?.owed ?? [] {
            let trial = revocations[name]?[version.number]
            guard trial.map({ $0.nextAttempt.map { $0 <= now } == true }) ?? true else { continue }
            begin(version.number, of: name)
            Task { await revoke(version.number, of: name) }
        }
    }

    /// When the next one is due; nil where none is, or it is being done.
    func nextRevocation(of name: Name, at now: BootInstant) -> BootInstant? {
        if lives[name]?.requested != nil, !underWay.contains(name) { return now }
        return lives[name]?.owed.compactMap { version in
            guard let trial = revocations[name]?[version.number] else { return now }
            return trial.nextAttempt
        }.min()
    }

    /// Has what could not be revoked tried again at once.
    func hurryRevocations(of name: Name) {
        let now = ports.clock.now().boot
        for (number, trial) in revocations[name] ?? [:] where trial.nextAttempt != nil {
            revocations[name]?[number]?.nextAttempt = now
        }
    }

    /// Revokes the key of a version that has retired, by its id or by the name that we gave it.
    ///
    /// - Returns: why that is not done; nil too where it has to wait for a request that was lost to come to an end.
    @discardableResult
    func revoke(_ number: SecretVersionNumber, of name: Name) async -> MintFailure? {
        guard let key = lives[name]?.owed.first(where: { $0.number == number })?.issued else { return nil }
        begin(number, of: name)
        do throws(MintFailure) {
            guard try await isEnded(key) else {
                postpone(number, of: name, by: IssuedKey.longestRequest)
                return nil
            }
        } catch {
            fail(number, key, of: name, error)
            return error
        }
        let now = ports.clock.now().wall
        do throws(SecretStepRefusal) {
            try await step(name) { (life) throws(SecretStepRefusal) in try life.noteRevoked(number, at: now) }
            revocations[name]?[number] = nil
            tell(name, number, .revoked(key))
        } catch {
            postpone(number, of: name, by: RevocationTrial.backoff.cap)
        }
        publish()
        return nil
    }

    private func isEnded(_ key: IssuedKey) async throws(MintFailure) -> Bool {
        guard let broker else { return false }
        let management = try broker.management(of: key.account)
        if let id = key.id {
            try await management.issuer.revoke(id, by: management.credential)
            return true
        }
        let ids = try await management.issuer.ids(of: key.label, by: management.credential)
        for id in ids { try await management.issuer.revoke(id, by: management.credential) }
        return !ids.isEmpty || !key.mayStillAppear(at: ports.clock.now().wall)
    }

    private func begin(_ number: SecretVersionNumber, of name: Name) {
        var trial = revocations[name]?[number] ?? RevocationTrial()
        trial.attempts += 1
        trial.nextAttempt = nil
        revocations[name, default: [:]][number] = trial
    }

    private func postpone(_ number: SecretVersionNumber, of name: Name, by pause: Duration) {
        revocations[name]?[number]?.nextAttempt = ports.clock.now().boot.advanced(by: pause)
        publish()
    }

    private func fail(_ number: SecretVersionNumber, _ key: IssuedKey, of name: Name, _ failure: MintFailure) {
        guard let trial = revocations[name]?[number] else { return }
        revocations[name]?[number]?.lastFailure = failure
        // Once, until it is another.
        if trial.lastFailure != failure { tell(name, number, .notRevoked(key, failure)) }
        let pause = RevocationTrial.backoff.delay(attempt: trial.attempts, using: &random)
        let asked = failure.askedPause(atMost: definition.limits.retryAfterMax) ?? .zero
        postpone(number, of: name, by: max(pause, asked))
    }
}
