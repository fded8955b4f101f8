// What an operator does with a secret, and what the keeper does in the same way by itself.

extension SecretKeeper {
    /// Gives a managed secret its next value; the first one ever is active at once.
    ///
    /// - Returns: the version.
    public func stage(
        _ value: Secret,
        for name: Name,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretVersionNumber {
        let secret = try managed(name)
        do throws(SecretProblem) { try source.judge(value, for: secret) } catch { throw .unusable(error) }
        let fingerprint = ports.fingerprint(value)
        let now = ports.clock.now().wall
        let arrival = try await step(name) { $0.take(value, fingerprint: fingerprint, from: .managed, at: now) }
        switch arrival {
        case .first(let number):
            tell(name, number, .began, by: actor)
            broker?.keyChanged(name, to: number, proofs: [], isUrgent: false)
            return number
        case .candidate(let number):
            proofs[name] = nil
            trials[name] = nil
            tell(name, number, .staged, by: actor)
            return number
        case .known:
            guard let known = lives[name].flatMap({ $0.candidate ?? $0.active }) else { throw .overtaken }
            return known.number
        }
    }

    /// Has the candidate proven at each provider that uses the secret.
    public func verify(
        _ name: Name,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretVersionNumber {
        guard definition.secrets[name] != nil else { throw .unknown }
        guard let candidate = lives[name]?.candidate else { throw .noCandidate }
        // A managed one that was refused is refused: the next one staged takes its place.
        if candidate.origin == .managed, candidate.refusal != nil { throw .notVerified(candidate) }
        try await verify(candidate.number, of: name, by: actor)
        // One that came in by itself goes on by itself, also where it was given up before.
        if candidate.origin != .managed {
            trials[name] = nil
            await goOn()
        }
        return candidate.number
    }

    /// The verified candidate becomes what is minted with.
    ///
    /// - Parameter isFinal: the version before is not to be used any more: it is wiped at once.
    /// - Returns: what was done with that version.
    public func promote(
        _ name: Name,
        isFinal: Bool,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretSwitch {
        guard definition.secrets[name] != nil else { throw .unknown }
        guard let candidate = lives[name]?.candidate else { throw .noCandidate }
        return try await promote(candidate.number, of: name, isFinal: isFinal, by: actor)
    }

    /// The version before becomes what is minted with again.
    public func rollBack(
        _ name: Name,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretSwitch {
        guard definition.secrets[name] != nil else { throw .unknown }
        return try await goBack(name, because: "taken back by an operator", .rolledBack, [], by: actor) { _ in true }
    }

    /// Ends the replaced versions now: their values are wiped.
    ///
    /// - Returns: which they were.
    public func retire(
        _ name: Name,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> [SecretVersionNumber] {
        guard definition.secrets[name] != nil else { throw .unknown }
        let now = ports.clock.now().wall
        let numbers = try await step(name) { (life) throws(SecretStepRefusal) in
            try life.retire(at: now)
        }
        for number in numbers { tell(name, number, .retired, by: actor) }
        // Its tokens are not to be relied on any more than the key is.
        if let active = lives[name]?.active { broker?.keyResumed(name, active, isUrgent: true) }
        return numbers
    }

    // MARK: The same for the keeper itself

    func verify(
        _ number: SecretVersionNumber,
        of name: Name,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) {
        guard let candidate = lives[name]?.candidate, candidate.number == number else { throw .overtaken }
        guard let value = candidate.value, let broker else { throw .noCandidate }
        let verdict = await broker.prove(SecretsInForce.Key(value, version: number), of: name)
        let now = ports.clock.now().wall
        switch verdict {
        case .good(let proofs):
            try await step(name) { (life) throws(SecretStepRefusal) in try life.verify(number, at: now) }
            self.proofs[name] = (number, proofs)
            tell(name, number, .verified, by: actor)
        case .refused(let failure):
            try await step(name) { (life) throws(SecretStepRefusal) in
                try life.refuse(number, because: failure.detail, at: now)
            }
            tell(name, number, .refused(failure), by: actor)
            throw .refused(failure)
        case .unknown(let failure):
            tell(name, number, .unproven(failure), by: actor)
            throw .unproven(failure)
        }
    }

    @discardableResult
    func promote(
        _ number: SecretVersionNumber,
        of name: Name,
        isFinal: Bool,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretSwitch {
        let now = ports.clock.now()
        let end = isFinal ? nil : end(of: name, replacedAt: now)
        let made = try await step(name) { (life) throws(SecretStepRefusal) in
            guard life.candidate?.number == number else { throw .overtaken }
            let replaced = life.active?.number
            try life.promote(retiring: end, at: now.wall)
            return SecretSwitch(number: number, replaced: replaced, isUrgent: isFinal)
        }
        trials[name] = nil
        let kept = proofs.removeValue(forKey: name).flatMap { $0.number == number ? $0.proofs : nil }
        tell(name, number, .promoted(isFinal: isFinal), by: actor)
        broker?.keyChanged(name, to: number, proofs: kept ?? [], isUrgent: made.isUrgent)
        return made
    }

    /// Until when a version that is replaced now is kept: while a token minted with it may live; where it is the credential
    /// itself, for the drain.
    func end(of name: Name, replacedAt now: Moment) -> WallInstant {
        let drain = definition.secrets[name]?.drain
        guard let use = broker?.lastUse(of: name, lives[name]?.active?.number) else {
            return now.wall.advanced(by: drain ?? SecretDrain.shortestProbation)
        }
        let rest = max(
            use.lastEnd?.since(now.boot) ?? .zero,
            drain ?? .zero,
            use.isCredential ? drain ?? SecretDrain.ofCredential : .zero
        )
        return now.wall.advanced(by: rest)
    }

    // MARK: Going back

    /// A provider refused what is minted with. Where the version before is still there and the provider takes that one, it
    /// is in force again; where it refuses both, the fault is not the new value's.
    func fallBack(from number: SecretVersionNumber, of name: Name, after failure: MintFailure) async {
        guard mayFallBack(from: number, of: name), !doubted.contains(name), let broker,
            let previous = lives[name]?.retiring.first, let value = previous.value
        else { return }
        // One look for however many refusals come together.
        doubted.insert(name)
        defer { doubted.remove(name) }
        let verdict = await broker.prove(SecretsInForce.Key(value, version: previous.number), of: name)
        guard case .good(let proofs) = verdict else { return }
        let reason = "the provider refused it after it had been promoted: \(failure.detail)"
        do throws(SecretStepRefusal) {
            _ = try await goBack(name, because: reason, .fellBack(failure), proofs, by: nil) { life in
                life.active?.number == number && life.mayFallBack
            }
        } catch {
            guard case .notKept(let error) = error else { return }
            tell(name, previous.number, .notFallenBack(failure, error))
        }
    }

    private func mayFallBack(from number: SecretVersionNumber, of name: Name) -> Bool {
        guard let life = lives[name] else { return false }
        return life.active?.number == number && life.mayFallBack
    }

    private func goBack(
        _ name: Name,
        because reason: String,
        _ cause: SecretStep,
        _ proofs: [SecretProof],
        by actor: AuditEvent.Actor?,
        if isStillWanted: @escaping @Sendable (SecretLife) -> Bool
    ) async throws(SecretStepRefusal) -> SecretSwitch {
        let now = ports.clock.now().wall
        let made = try await step(name) { (life) throws(SecretStepRefusal) in
            guard isStillWanted(life) else { throw .overtaken }
            let replaced = life.active?.number
            return SecretSwitch(
                number: try life.rollBack(because: reason, at: now),
                replaced: replaced,
                isUrgent: true
            )
        }
        trials[name] = nil
        self.proofs[name] = nil
        tell(name, made.number, cause, by: actor)
        broker?.keyChanged(name, to: made.number, proofs: proofs, isUrgent: made.isUrgent)
        return made
    }

    // MARK: Common

    func managed(_ name: Name) throws(SecretStepRefusal) -> SecretDefinition {
        guard let secret = definition.secrets[name] else { throw .unknown }
        guard secret.source == .managed else { throw .notManaged(secret) }
        return secret
    }
}
