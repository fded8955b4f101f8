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
final class AppAIGatewayKeyCheck: Sendable {
    /// Checks that refused users may cause, each of which costs one of the 60 exchanges of a minute. Those of users leave
    /// six: three at once and one in 20 s are five in any minute, and the sixth is there to prove another key with.
    private static let allowance = RateLimit(burst: 3, interval: .seconds(20))
    /// No JSON web token, so that the gateway refuses it without asking an identity provider.
    private static let noIssuerToken = TokenText("tokenbroker-key-check")!

    private struct Check {
        let secret: Secret
        let task: Task<AppAIGatewayKeyVerdict, Never>
    }

    private struct State {
        var usage = RateLimit.Usage()
        /// The one that was begun last.
        var latest: Check?
    }

    private let api: AppAIGatewayAPI
    private let clock: any HostClock
    private let state = Mutex(State())

    init(_ api: AppAIGatewayAPI, clock: any HostClock) {
        self.api = api
        self.clock = clock
    }

    /// The verdict on a key with which a user was refused, from a check that belongs to no caller: one that gives up takes
    /// nothing from the others.
    ///
    /// A key can be revoked at any time, so that each refusal has a check of its own. Where too many are refused for that,
    /// the check that was begun last answers for all of them, which is less than 20 s ago.
    func verdict(on secret: Secret) async -> AppAIGatewayKeyVerdict {
        let now = clock.now().boot
        let check = state.withLock { state -> Check? in
            guard Self.allowance.wait(state.usage, at: now) == .zero else { return state.latest }
            Self.allowance.use(&state.usage, at: now)
            let check = Check(secret: secret, task: Task { [self] in await freshVerdict(on: secret) })
            state.latest = check
            return check
        }
        guard let check, check.secret == secret else {
            return .unknown(MintFailure(.transient, detail: "the key cannot be checked so soon after another one"))
        }
        return await check.task.value
    }

    /// The verdict on `secret` from a check for this caller alone, which no other one shares.
    func freshVerdict(on secret: Secret) async -> AppAIGatewayKeyVerdict {
        do throws(MintFailure) {
            return AppAIGatewayAnswer(try await api.exchange(Self.noIssuerToken, secret: secret)).keyVerdict
        } catch {
            return .unknown(error)
        }
    }
}
