// How values come in by themselves: from files and credentials, and what becomes of them there.

extension SecretKeeper {
    /// Looks at every file and credential, and goes on with what is due. Cheap: to be called when a file may have changed,
    /// and now and then.
    public func check() async {
        await takeValues()
        await goOn()
    }

    /// Reads the sources; a changed value is a candidate.
    func takeValues() async {
        for secret in definition.secrets.values.sorted(by: { $0.name < $1.name }) {
            guard let origin = SecretVersion.Origin(readable: secret.source) else { continue }
            do throws(SecretProblem) {
                let value = try source.read(secret)
                problems[secret.name] = nil
                await take(value, of: secret.name, from: origin)
            } catch {
                note(error, of: secret.name)
            }
        }
        publish()
    }

    private func note(_ problem: SecretProblem, of name: Name) {
        let isNew = problems[name]?.description != problem.description
        problems[name] = problem
        if isNew { ports.observer.observe(.secretUnreadable(name, problem)) }
    }

    private func take(_ value: Secret, of name: Name, from origin: SecretVersion.Origin) async {
        let now = ports.clock.now().wall
        let fingerprint = ports.fingerprint(value)
        let before = lives[name]
        let arrival = try? await step(name) { $0.take(value, fingerprint: fingerprint, from: origin, at: now) }
        if lives[name]?.candidate?.number != before?.candidate?.number {
            trials[name] = nil
            proofs[name] = nil
        }
        switch arrival {
        case .first(let number):
            tell(name, number, .began)
            broker?.keyChanged(name, to: number, proofs: [], isUrgent: false)
        case .candidate(let number): tell(name, number, .staged)
        case .known, nil: break
        }
    }

    // MARK: What is due

    /// Proves and promotes the candidates of files and credentials, and ends what is to end by now.
    func goOn() async {
        guard broker != nil else { return }
        for name in definition.secrets.keys.sorted() {
            await retireDue(name)
            await abandonRequest(of: name)
            beginRevocations(of: name)
            guard let candidate = lives[name]?.candidate, candidate.origin != .managed, isDue(candidate, name) else {
                continue
            }
            // Apart from the others: a provider that hangs holds up its own secret only.
            begin(candidate, of: name)
        }
        publish()
    }

    private func retireDue(_ name: Name) async {
        let now = ports.clock.now()
        let due = lives[name]?.retiring.filter { $0.retiresAt.map { $0 <= now.wall } == true } ?? []
        for version in due {
            // A token that was being minted when the version was replaced came after that end was set.
            if let end = broker?.lastEnd(ofReplaced: version.number, of: name) {
                let rest = end.since(now.boot)
                try? await step(name) { (life) throws(SecretStepRefusal) in
                    try life.prolong(version.number, until: now.wall.advanced(by: rest))
                }
                continue
            }
            let isDone: Void? = try? await step(name) { (life) throws(SecretStepRefusal) in
                try life.retire(version.number, at: now.wall)
            }
            if isDone != nil { tell(name, version.number, .retired) }
        }
    }

    /// A candidate that was taken back waits for its file to change. One that was refused before the process began has its
    /// time anew: a restart is how a credential is read again.
    private func isDue(_ candidate: SecretVersion, _ name: Name) -> Bool {
        guard let trial = trial(of: candidate, name) else { return !candidate.wasTakenBack }
        return trial.nextAttempt.map { $0 <= ports.clock.now().boot } == true
    }

    private func trial(of candidate: SecretVersion, _ name: Name) -> SecretTrial? {
        trials[name].flatMap { $0.number == candidate.number ? $0 : nil }
    }

    private func begin(_ candidate: SecretVersion, of name: Name) {
        var trial = trial(of: candidate, name) ?? SecretTrial(candidate.number)
        trial.attempts += 1
        trial.nextAttempt = nil
        trials[name] = trial
        Task { await tryOut(candidate.number, of: name) }
    }

    private func tryOut(_ number: SecretVersionNumber, of name: Name) async {
        do throws(SecretStepRefusal) {
            if lives[name]?.candidate?.state != .verified { try await verify(number, of: name, by: nil) }
            try await promote(number, of: name, isFinal: false, by: nil)
        } catch {
            planNextAttempt(number, of: name, after: error)
        }
        publish()
    }

    private func planNextAttempt(_ number: SecretVersionNumber, of name: Name, after refusal: SecretStepRefusal) {
        guard let trial = trials[name], trial.number == number else { return }
        let now = ports.clock.now().boot
        let pause = SecretTrial.backoff.delay(attempt: trial.attempts, using: &random)
        var asked: Duration?
        if case .unproven(let failure) = refusal { asked = failure.askedPause(atMost: definition.limits.retryAfterMax) }
        trials[name]?.goOn(after: refusal, at: now, next: now.advanced(by: max(pause, asked ?? .zero)))
    }
}

extension SecretVersion.Origin {
    /// - Returns: nil for a value that only an operator gives.
    fileprivate init?(readable source: SecretDefinition.Source) {
        switch source {
        case .file: self = .file
        case .credential: self = .credential
        case .managed: return nil
        }
    }
}
