// What the keeper of the secrets asks of the engine.

/// What the providers say of a value that nothing is minted with yet.
enum SecretVerdict: Sendable {
    /// Each takes it.
    case good([SecretProof])
    /// One refuses it.
    case refused(MintFailure)
    /// None refuses it, and not each could be asked.
    case unknown(MintFailure)
}

/// What it takes to use an account's key API.
struct KeyManagement: Sendable {
    let issuer: any KeyIssuer
    let credential: Secret
}

extension Broker {
    /// The key API of an account.
    ///
    /// - Throws: where the configuration names none, or its credential cannot be had.
    func management(of account: Name) throws(MintFailure) -> KeyManagement {
        try supply.management(of: account)
    }

    /// Has each account that uses the secret say whether it takes `value`, all at once.
    func prove(_ value: SecretsInForce.Key, of secret: Name) async -> SecretVerdict {
        await supply.prove(value, of: secret)
    }

    /// The secret has another version in force.
    func keyChanged(_ secret: Name, to version: SecretVersionNumber, proofs: [SecretProof], isUrgent: Bool) {
        perform { state, now in
            state.table.keyChanged(secret, to: version, proofs: proofs, isUrgent: isUrgent, at: now)
        }
    }

    /// An earlier run left the secret with this version in force.
    func keyResumed(_ secret: Name, _ key: SecretVersion, isUrgent: Bool) {
        perform { state, now in
            let age = max(now.wall.since(key.changedAt), .zero)
            let since = now.boot.advanced(by: .zero - age)
            let inForce = KeyInForce(version: key.number, since: since, isUrgent: isUrgent)
            state.table.keyResumed(secret, inForce, at: now)
        }
    }

    /// Until when what was minted with a version of the secret lives; nil where there is nothing.
    func lastUse(of secret: Name, _ version: SecretVersionNumber?) -> SecretUse? {
        perform { state, now in state.table.lastUse(of: secret, version, at: now) }
    }

    /// Until when a version that was replaced has to stay; nil where it may go.
    func lastEnd(ofReplaced version: SecretVersionNumber, of secret: Name) -> BootInstant? {
        perform { state, now in state.table.lastEnd(ofReplaced: version, of: secret, at: now) }
    }
}

extension Broker.Supply {
    fileprivate func prove(_ value: SecretsInForce.Key, of secret: Name) async -> SecretVerdict {
        var requests: [(Name, MintRequest)] = []
        for account in definition.providers.values where account.secrets.contains(secret) {
            do throws(MintFailure) {
                guard let request = try request(proving: value, of: secret, at: account) else { continue }
                requests.append((account.name, request))
            } catch {
                return .unknown(error)
            }
        }
        return await withTaskGroup(of: SecretVerdict.self) { group in
            for (account, request) in requests {
                // What a token is minted with is the account's own key, also where it proves another of its secrets.
                let key = request.verifiedOption == nil ? value.version : version(at: account)
                group.addTask { await verdict(of: account, on: request, version: key) }
            }
            for account in definition.providers.values where account.management == secret {
                group.addTask { await verdict(of: account.name, onManagement: value.value) }
            }
            var proofs: [SecretProof] = []
            var doubt: MintFailure?
            for await verdict in group {
                switch verdict {
                case .good(let more): proofs += more
                case .refused:
                    group.cancelAll()
                    return verdict
                case .unknown(let failure): doubt = failure
                }
            }
            return doubt.map { .unknown($0) } ?? .good(proofs)
        }
    }

    fileprivate func management(of account: Name) throws(MintFailure) -> KeyManagement {
        guard let name = definition.providers[account]?.management, let issuer = provider(named: account)?.keyIssuer
        else {
            throw MintFailure(
                .requestRejected,
                detail: "the configuration has no provider \(account) with 'management:' any more"
            )
        }
        return KeyManagement(issuer: issuer, credential: try key(name).value)
    }

    /// Whether the key API of an account takes `value`: by a look that finds nothing.
    private func verdict(of account: Name, onManagement value: Secret) async -> SecretVerdict {
        guard let issuer = provider(named: account)?.keyIssuer else { return .good([]) }
        do throws(MintFailure) {
            _ = try await issuer.ids(of: Self.noLabel, by: value)
            return .good([])
        } catch {
            return error.failureClass.refusesSecret ? .refused(error) : .unknown(error)
        }
    }

    private static let noLabel = "tokenbroker-none"

    /// - Returns: nil where no token of the account is configured: then nothing depends on it, and nothing could be asked.
    /// - Throws: where the account's own key, which goes along, cannot be had.
    private func request(
        proving value: SecretsInForce.Key,
        of secret: Name,
        at account: ProviderDefinition
    ) throws(MintFailure) -> MintRequest? {
        let tokens = definition.tokens.values.filter { $0.provider == account.name }.sorted { $0.name < $1.name }
        guard let token = tokens.first(where: { !$0.isPerUser }) ?? tokens.first else { return nil }
        let others = account.secretsByOption.mapValues { name -> Result<Secret, SecretProblem> in
            name == secret ? .success(value.value) : keyOrProblem(name).map(\.value)
        }
        let key = account.secret == secret ? value.value : try key(account.secret).value
        let option = account.secretsByOption.first { $0.value == secret }?.key
        return MintRequest(
            token: token,
            secret: key,
            secretsByOption: others,
            isForced: true,
            verifiedOption: account.secret == secret ? nil : option
        )
    }

    private func version(at account: Name) -> SecretVersionNumber? {
        definition.providers[account].flatMap { try? keyOrProblem($0.secret).get().version }
    }

    private func verdict(
        of account: Name,
        on request: MintRequest,
        version: SecretVersionNumber?
    ) async -> SecretVerdict {
        guard let provider = provider(named: account) else { return .good([]) }
        do throws(MintFailure) {
            guard let mint = try await provider.verify(request), !request.token.isPerUser else { return .good([]) }
            let name = request.token.name
            let proof = SecretProof(
                key: TokenKey(name),
                origin: definition.origin(of: name),
                mint: mint.minted(with: version)
            )
            return .good([proof])
        } catch {
            return error.failureClass.refusesSecret ? .refused(error) : .unknown(error)
        }
    }
}

extension FailureClass {
    /// Whether it says that the value itself is no good.
    fileprivate var refusesSecret: Bool {
        self == .secretRejected || self == .sessionLost
    }
}
