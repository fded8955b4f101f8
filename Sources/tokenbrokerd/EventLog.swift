internal import Logging
internal import TokenBroker

/// Writes the broker's events as log records.
struct EventLog: EventObserver {
    let logger: Logger

    func observe(_ event: BrokerEvent) {
        switch event {
        case .minted(let key, let generation, let lifetime, _):
            logger.info(
                "Token minted",
                [
                    .token: .string(key.name.text), .generation: LogValue(generation.number),
                    .duration: .duration(lifetime),
                ]
            )
        case .mintFailed(let key, let failure, let attempts, let retryAfter, let stillServing):
            mintFailed(key.name, failure, attempts, retryAfter, stillServing)
        case .noProgress(let key):
            logger.warning(
                "Provider answered a token that ends no later than the one held",
                [.token: .string(key.name.text)]
            )
        case .lifetimeUnstated(let key, let assumed):
            logger.warning(
                "Provider named no lifetime, the default is taken",
                [.token: .string(key.name.text), .duration: .duration(assumed)]
            )
        case .lifetimeCapped(let key, let maximum):
            logger.warning(
                "Provider named an absurd lifetime, the maximum is taken",
                [.token: .string(key.name.text), .duration: .duration(maximum)]
            )
        case .suspended(let key):
            logger.warning("Clock was set, token is suspended and replaced", [.token: .string(key.name.text)])
        case .dropped(let name):
            logger.info("Token dropped", [.token: .string(name.text)])
        case .rejected(let key):
            logger.warning("Token reported as refused by its provider", [.token: .string(key.name.text)])
        case .secretStepped(let name, let version, let step): stepped(name, version, step)
        case .secretUnreadable(let name, let problem):
            logger.warning(
                "Secret gives no value, what is in force stays",
                [.secret: .string(name.text), .errorDetail: .string(problem.description)]
            )
        }
    }

    private func stepped(_ name: Name, _ version: SecretVersionNumber, _ step: SecretStep) {
        var metadata: LogMetadata = [.secret: .string(name.text), .secretVersion: LogValue(version.number)]
        switch step {
        // A line of the audit log says it.
        case .began, .staged, .verified, .rolledBack, .retired, .requested, .created: break
        case .promoted:
            logger.notice("Secret promoted", metadata)
        case .refused(let failure):
            metadata[.errorDetail] = .string(failure.detail)
            logger.error("the provider refuses the new value of a secret, what is in force stays", metadata)
        case .unproven(let failure):
            metadata[.errorDetail] = .string(failure.detail)
            logger.warning("New value of a secret cannot be proven now, what is in force stays", metadata)
        case .fellBack(let failure):
            metadata[.errorDetail] = .string(failure.detail)
            logger.error("the new value of a secret failed, the one before is in force again", metadata)
        case .notIssued(let failure):
            metadata[.errorDetail] = .string(failure.detail)
            logger.warning("Provider made no new key, what is in force stays", metadata)
        case .lost(let key, let failure):
            metadata[.errorDetail] = .string("\(key.text): \(failure.detail)")
            logger.warning("Key asked for at a provider is lost, it is looked for and revoked", metadata)
        case .revoked(let key):
            metadata[.reason] = .string(key.text)
            logger.notice("Key revoked at its provider", metadata)
        case .notRevoked(let key, let failure):
            metadata[.errorDetail] = .string("\(key.text): \(failure.detail)")
            logger.warning("Key that is not used any more is not revoked yet, it is tried again", metadata)
        }
    }

    private func mintFailed(
        _ token: Name,
        _ failure: MintFailure,
        _ attempts: Int,
        _ retryAfter: Int64,
        _ stillServing: Bool
    ) {
        var metadata: LogMetadata = [
            .token: .string(token.text), .errorCode: .string(failure.failureClass.code),
            .errorDetail: .string(failure.detail), .attempt: LogValue(attempts), .retryAfter: LogValue(retryAfter),
        ]
        if let status = failure.providerStatus { metadata[.providerStatus] = LogValue(status) }
        if let code = failure.providerCode { metadata[.providerCode] = .string(code) }
        if let id = failure.providerRequestID { metadata[.providerRequestID] = .string(id) }
        if failure.failureClass.needsSomeone && !stillServing {
            logger.error("a token cannot be minted", metadata)
        } else if failure.failureClass == .userRefused {
            // One user's affair, and as frequent as users like.
            logger.info("Provider refused an end user", metadata)
        } else {
            logger.warning("Mint failed", metadata)
        }
    }
}

extension FailureClass {
    /// Whether waiting does not help and a person has to act.
    fileprivate var needsSomeone: Bool {
        switch self {
        case .secretRejected, .requestRejected, .untrusted, .secretUnavailable, .sessionLost: true
        case .transient, .rateLimited, .quotaExhausted, .userRefused: false
        }
    }
}
