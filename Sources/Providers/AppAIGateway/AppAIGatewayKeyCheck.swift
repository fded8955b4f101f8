internal import Synchronization
internal import TokenBroker

/// What is known of a key.
enum AppAIGatewayKeyVerdict {
    case good
    case refused(MintFailure)
    /// The gateway gave no answer that tells.
    case unknown(MintFailure)
}

/// Finds out whether the gateway takes a key, where users' tokens are minted with it: by an exchange whose issuer token is
/// none, because the gateway looks at the key first.
///
/// However many ask for the same key together, one check answers for all of them, and for those that follow within a
/// while.
final class AppAIGatewayKeyCheck: Sendable {
    /// How long a verdict holds. A check costs one of the 60 exchanges of a minute, which all users share; a key that was
    /// revoked is found out this much later at most.
    private static let validity: Duration = .seconds(30)
    /// No JSON web token, so that the gateway refuses it without asking an identity provider.
    private static let noIssuerToken = TokenText("tokenbroker-key-check")!

    private struct Check {
        let secret: Secret
        let begunAt: BootInstant
        let task: Task<AppAIGatewayKeyVerdict, Never>
    }

    private let api: AppAIGatewayAPI
    private let clock: any HostClock
    /// One for each key: a key on trial does not have the one in force checked anew.
    private let recent = Mutex<[Check]>([])

    init(_ api: AppAIGatewayAPI, clock: any HostClock) {
        self.api = api
        self.clock = clock
    }

    /// The verdict on `secret`. The check belongs to no caller: one that gives up takes nothing from the others.
    func verdict(on secret: Secret) async -> AppAIGatewayKeyVerdict {
        let now = clock.now().boot
        let task = recent.withLock { recent in
            recent.removeAll { now.since($0.begunAt) >= Self.validity }
            if let known = recent.first(where: { $0.secret == secret }) { return known.task }
            let task = Task { [api] in await Self.check(secret, api) }
            recent.append(Check(secret: secret, begunAt: now, task: task))
            return task
        }
        return await task.value
    }

    private static func check(_ secret: Secret, _ api: AppAIGatewayAPI) async -> AppAIGatewayKeyVerdict {
        do throws(MintFailure) {
            return AppAIGatewayAnswer(try await api.exchange(noIssuerToken, secret: secret)).keyVerdict
        } catch {
            return .unknown(error)
        }
    }
}
