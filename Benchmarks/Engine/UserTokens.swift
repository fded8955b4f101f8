internal import EventLoop
internal import Synchronization
internal import TokenBroker

/// One name under which each of many end users has a token, and a provider that answers at once.
struct UserTokens {
    /// As long as the simulated provider's tokens.
    static let textLength = 54
    private static let name: Name = "user"

    let users: Int
    let clock = LiveClock()

    func broker(memory: Broker.Memory? = nil) -> Broker {
        let account: Name = "account"
        let secret: Name = "secret"
        var limits = Limits()
        limits.endUsers = users
        let definition = BrokerDefinition(
            secrets: [secret: SecretDefinition(name: secret, source: .credential(name: "secret"))],
            providers: [
                account: ProviderDefinition(
                    name: account,
                    kind: "instant",
                    baseURL: "https://localhost",
                    secret: secret,
                    timeout: .seconds(10)
                )
            ],
            tokens: [
                Self.name: TokenDefinition(
                    name: Self.name,
                    provider: account,
                    credential: CredentialForm(user: .endUser)
                )
            ],
            limits: limits
        )
        return Broker(
            Broker.Supply(
                definition,
                providers: [account: InstantProvider(clock: clock)],
                secrets: SecretsInForce([secret: Secret("secret".utf8)])
            ),
            ports: Broker.Ports(clock: clock, observer: Nobody(), alarmChanged: {}),
            memory: memory,
            seed: 1
        )
    }

    /// Asks for every user's token, one after the other.
    ///
    /// - Returns: how many were served.
    func askForAll(_ broker: Broker) async -> Int {
        var served = 0
        for user in 0..<users where await isServed(user, by: broker) { served += 1 }
        return served
    }

    /// How many tokens the broker serves at once, without a mint.
    func countCached(in broker: Broker) -> Int {
        (0..<users).count { user in
            let asked = broker.ask(key(user), minimum: .zero, onAnswer: { _ in })
            return if case .answered(.served) = asked { true } else { false }
        }
    }

    private func isServed(_ user: Int, by broker: Broker) async -> Bool {
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<TokenAnswer?, Never>) in
            switch broker.ask(key(user), minimum: .zero, onAnswer: { continuation.resume(returning: $0) }) {
            case .waiting: break
            case .answered(let answer): continuation.resume(returning: answer)
            case nil: continuation.resume(returning: nil)
            }
        }
        if case .served = answer { return true }
        return false
    }

    /// With an id as long as a UUID, which is what most apps have.
    private func key(_ user: Int) -> TokenKey {
        let digits = String(user)
        let prefix = "00000000-0000-4000-8000-000000000000".dropLast(digits.count)
        return TokenKey(Self.name, Subject(id: prefix + digits))
    }
}

/// The host's two clocks.
struct LiveClock: HostClock {
    func now() -> Moment {
        Moment(
            boot: BootInstant(nanoseconds: SystemClock.bootNanoseconds()),
            wall: WallInstant(milliseconds: SystemClock.wallNanoseconds() / 1_000_000)
        )
    }
}

/// Answers at once with another token each time, good for a day.
private final class InstantProvider: Provider {
    private static let alphabet = Array("0123456789abcdef".utf8)

    private let clock: LiveClock
    private let random = Mutex(SeededRandom(seed: 2))

    init(clock: LiveClock) {
        self.clock = clock
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let bytes = random.withLock { random in
            (0..<UserTokens.textLength).map { _ in Self.alphabet.randomElement(using: &random)! }
        }
        guard let text = TokenText(String(decoding: bytes, as: UTF8.self)) else {
            preconditionFailure("hexadecimal digits are a token")
        }
        return Mint(text: text, expiry: .after(.seconds(86400)), requestedAt: clock.now())
    }
}

private struct Nobody: EventObserver {
    func observe(_ event: BrokerEvent) {}
}
