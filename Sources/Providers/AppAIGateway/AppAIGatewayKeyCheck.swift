internal import Synchronization
internal import TokenBroker

/// What is known of a key.
enum AppAIGatewayKeyVerdict {
    case good
    case refused
    /// The gateway gave no answer that tells.
    case unknown
}

/// Finds out whether it is the key that the gateway refuses, where users' tokens are minted with it: by an exchange
/// whose issuer token is none, because the gateway looks at the key first.
///
/// However many refusals come together, one check answers for all of them, and for those that follow within a while.
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
    private let latest = Mutex<Check?>(nil)

    init(_ api: AppAIGatewayAPI, clock: any HostClock) {
        self.api = api
        self.clock = clock
    }

    /// The verdict on `secret`. The check belongs to no caller: one that gives up takes nothing from the others.
    func verdict(on secret: Secret) async -> AppAIGatewayKeyVerdict {
        let now = clock.now().boot
        let task = latest.withLock { latest in
            if let latest, latest.secret == secret, now.since(latest.begunAt) < Self.validity { return latest.task }
            let task = Task { [api] in await Self.check(secret, api) }
            latest = Check(secret: secret, begunAt: now, task: task)
            return task
        }
        return await task.value
    }

    private static func check(_ secret: Secret, _ api: AppAIGatewayAPI) async -> AppAIGatewayKeyVerdict {
        guard let answer = try? await api.exchange(noIssuerToken, secret: secret) else { return .unknown }
        let meaning = AppAIGatewayAnswer(answer)
        if meaning.refusesIssuerToken { return .good }
        return meaning.refusesCredentials ? .refused : .unknown
    }
}
