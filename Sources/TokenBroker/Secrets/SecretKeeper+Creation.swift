// A new key that the provider makes: asked for once, and never lost track of.

extension SecretKeeper {
    /// Has the provider make the next value of a managed secret, and stages it; the first one ever is active at once.
    ///
    /// The request is written down, under a name that no other key has, before the provider is asked. Wherever this ends
    /// before the value is staged, that name is how the key is found and revoked.
    ///
    /// - Returns: the version.
    public func create(
        _ name: Name,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretVersionNumber {
        guard !underWay.contains(name) else { throw .underWay }
        underWay.insert(name)
        defer {
            underWay.remove(name)
            // What could not be written down of its end is due now.
            publish()
        }
        let (account, management) = try issuer(for: name)
        try await settle(name)
        let (number, key) = try await request(name, at: account, by: actor)
        let made: NewKey
        do throws(KeyIssueFailure) {
            made = try await management.issuer.issue(
                key.label,
                like: lives[name]?.active?.value,
                by: management.credential
            )
        } catch {
            throw await end(number, key, of: name, after: error, by: actor)
        }
        return try await receive(made, for: number, of: name, management, by: actor)
    }

    /// What ``create(_:by:)`` would do. Nothing is changed, here or at the provider, which is only asked whether it lets
    /// its key API be used.
    public func creationPlan(for name: Name) async throws(SecretStepRefusal) -> CreationPlan {
        let (account, management) = try issuer(for: name)
        let life = lives[name] ?? SecretLife()
        let label = label(for: name)
        do throws(MintFailure) {
            _ = try await management.issuer.ids(of: label, by: management.credential)
        } catch {
            throw .notIssued(error)
        }
        return CreationPlan(
            account: account,
            label: label,
            active: life.active,
            candidate: life.candidate,
            owed: life.owed,
            retiresAt: end(of: name, replacedAt: ports.clock.now()),
            tokens: definition.tokens.values.filter { $0.provider == account.name }.map(\.name).sorted()
        )
    }

    // MARK: Before

    private func issuer(for name: Name) throws(SecretStepRefusal) -> (ProviderDefinition, KeyManagement) {
        _ = try managed(name)
        let accounts = definition.providers.values.filter { $0.secret == name && $0.management != nil }
        guard let broker, let account = accounts.min(by: { $0.name < $1.name }) else { throw .noIssuer(name) }
        do throws(MintFailure) {
            return (account, try broker.management(of: account.name))
        } catch {
            throw .noManagement(error)
        }
    }

    /// Revokes what is left of before. Of a request that was lost it has to be known what became of it: asking again and
    /// again would leave a key at the provider each time.
    private func settle(_ name: Name) async throws(SecretStepRefusal) {
        await abandonRequest(of: name, isOurs: true)
        for version in lives[name]?.owed ?? [] {
            guard let failure = await revoke(version.number, of: name), let key = version.issued, key.id == nil else {
                continue
            }
            throw .stillLost(key, failure)
        }
    }

    private func label(for name: Name) -> String {
        let last = lives[name]?.lastNumber.number ?? 0
        return IssuedKey.label(name, SecretVersionNumber(last + 1), using: &random)
    }

    private func request(
        _ name: Name,
        at account: ProviderDefinition,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> (SecretVersionNumber, IssuedKey) {
        let now = ports.clock.now().wall
        let key = IssuedKey(account: account.name, label: label(for: name), requestedAt: now)
        let number = try await step(name) { (life) throws(SecretStepRefusal) in try life.request(key, at: now) }
        tell(name, number, .requested(key), by: actor)
        return (number, key)
    }

    // MARK: After

    /// - Returns: what to tell of it.
    private func end(
        _ number: SecretVersionNumber,
        _ key: IssuedKey,
        of name: Name,
        after failure: KeyIssueFailure,
        by actor: AuditEvent.Actor?
    ) async -> SecretStepRefusal {
        switch failure {
        case .refused(let failure):
            // Where even that is not kept, a look at the provider will find that there is none.
            try? await step(name) { (life) throws(SecretStepRefusal) in life.withdraw(number) }
            tell(name, number, .notIssued(failure), by: actor)
            return .notIssued(failure)
        case .unknown(let failure):
            let now = ports.clock.now().wall
            try? await step(name) { (life) throws(SecretStepRefusal) in
                try life.abandon(number, because: failure.detail, at: now)
            }
            tell(name, number, .lost(key, failure), by: actor)
            return .lost(key, failure)
        }
    }

    private func receive(
        _ made: NewKey,
        for number: SecretVersionNumber,
        of name: Name,
        _ management: KeyManagement,
        by actor: AuditEvent.Actor?
    ) async throws(SecretStepRefusal) -> SecretVersionNumber {
        let now = ports.clock.now().wall
        let secret = try managed(name)
        do throws(SecretProblem) { try source.judge(made.value, for: secret) } catch {
            try await step(name) { (life) throws(SecretStepRefusal) in
                try life.abandon(number, id: made.id, because: error.description, at: now)
            }
            throw .unusable(error)
        }
        let fingerprint = ports.fingerprint(made.value)
        let arrival: SecretLife.Arrival
        do throws(SecretStepRefusal) {
            arrival = try await step(name) { (life) throws(SecretStepRefusal) in
                try life.receive(made.value, id: made.id, fingerprint: fingerprint, for: number, at: now)
            }
        } catch {
            // Nobody has the value now. What was written down before still names the key, should this fail too.
            try? await management.issuer.revoke(made.id, by: management.credential)
            throw error
        }
        proofs[name] = nil
        trials[name] = nil
        if let key = lives[name]?.versions.first(where: { $0.number == number })?.issued {
            tell(name, number, .created(key), by: actor)
        }
        if case .first = arrival { broker?.keyChanged(name, to: number, proofs: [], isUrgent: false) }
        return number
    }
}
