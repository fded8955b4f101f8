import Synchronization
import TestSupport
import Testing

@testable import TokenBroker

/// A keeper with a broker and a provider: files, journal and clock in the hands of the test.
final class SecretWorld: Sendable {
    static let secret: Name = "key"
    static let token: Name = "web"
    static let management: Name = "management"

    let clock = ManualClock()
    let journal: FakeJournal
    let files = FakeFiles()
    let provider: KeyedProvider
    let log = EventRecorder()
    let keeper: SecretKeeper
    let broker: Broker

    /// - Parameters:
    ///   - refused: a value that the provider refuses from the start.
    ///   - journal: another world's, for a restart with what that one kept.
    ///   - keys: the provider's key API, whose own key is the file's value.
    init(
        _ source: SecretDefinition.Source = .file(path: "/key"),
        drain: Duration? = nil,
        isCredential: Bool = false,
        value: String? = "one",
        refused: String? = nil,
        journal: FakeJournal = FakeJournal(),
        keys: FakeKeyIssuer? = nil
    ) async {
        self.journal = journal
        let definition = BrokerDefinition(
            secrets: [
                Self.secret: SecretDefinition(name: Self.secret, source: source, drain: drain),
                Self.management: SecretDefinition(name: Self.management, source: .file(path: "/management")),
            ].filter { keys != nil || $0.key == Self.secret },
            providers: [
                "account": ProviderDefinition(
                    name: "account",
                    kind: "test",
                    baseURL: "https://provider.test",
                    secret: Self.secret,
                    timeout: .seconds(10),
                    management: keys == nil ? nil : Self.management
                )
            ],
            tokens: [
                Self.token: TokenDefinition(
                    name: Self.token,
                    provider: "account",
                    credential: CredentialForm(isSecret: isCredential)
                )
            ]
        )
        files.put(value)
        provider = KeyedProvider(clock, isCredential: isCredential, keys: keys)
        if let refused { provider.set(refused, .refuses) }
        keeper = SecretKeeper(
            definition,
            source: files,
            ports: SecretKeeper.Ports(
                clock: clock,
                journal: journal,
                fingerprint: { "f-\($0.revealed)" },
                observer: log
            ),
            seed: 1
        )
        await keeper.begin()
        broker = Broker(
            Broker.Supply(definition, providers: ["account": provider], secrets: keeper.inForce),
            ports: Broker.Ports(clock: clock, observer: log, alarmChanged: {}),
            seed: 1
        )
        await keeper.attach(broker)
        broker.start()
    }

    /// Puts another value into the file and has it noticed.
    func write(_ value: String?) async {
        files.put(value)
        await keeper.check()
    }

    /// The value that is minted with; nil where there is none.
    var active: String? { try? keeper.inForce.key(Self.secret).value.revealed }

    var report: SecretReport? { keeper.reports.first }

    /// The states of all versions, the oldest first.
    var states: [SecretVersion.State] { report?.versions.map(\.state) ?? [] }

    /// The text of the token in service.
    var served: String? {
        guard
            case .answered(.served(let token, _))? = broker.ask(
                TokenKey(Self.token),
                minimum: .zero,
                onAnswer: { _ in }
            )
        else { return nil }
        return token.text.revealed
    }

    /// Lets time pass, waking whoever wants to be. A mint that is under way would be one of the later time: it ends first.
    func advance(_ duration: Duration) async throws {
        try await until { isIdle }
        clock.advance(duration)
        broker.wake()
        await keeper.goOn()
        try await until { isIdle }
    }

    private var isIdle: Bool {
        for mints in broker.activity.mints.values where mints.running + mints.queued > 0 { return false }
        // Nor is a key being revoked: an attempt that has ended says when the next one is.
        for trial in report?.revocations.values ?? [:].values where trial.nextAttempt == nil { return false }
        return true
    }

    /// Lets others run until `condition` holds; that it never does fails the test.
    func until(_ condition: () -> Bool, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let begin = ContinuousClock.now
        while !condition() {
            await Task.yield()
            let isLate = ContinuousClock.now - begin > .seconds(60)
            try #require(!isLate, "it did not come to that", sourceLocation: sourceLocation)
        }
    }
}

/// A clock that stands until it is moved.
final class ManualClock: HostClock {
    private let moment = Mutex(Harness.start)

    func now() -> Moment { moment.withLock { $0 } }

    func advance(_ duration: Duration) {
        moment.withLock { $0 = $0.advanced(by: duration) }
    }
}

/// One file, read as the test put it there.
final class FakeFiles: SecretSource {
    private let value = Mutex<String?>(nil)

    func put(_ text: String?) { value.withLock { $0 = text } }

    func read(_ secret: SecretDefinition) throws(SecretProblem) -> Secret {
        guard secret.source != .managed, let text = value.withLock({ $0 }) else {
            throw SecretProblem(.missing, "secret \(secret.name): there is no such file")
        }
        return Secret(text.utf8)
    }
}

/// A provider that takes the keys it is told to.
final class KeyedProvider: Provider {
    enum Opinion: Hashable { case takes, refuses, hangsUp }

    private let clock: ManualClock
    private let isCredential: Bool
    let keyIssuer: (any KeyIssuer)?
    private let opinions = Mutex<[String: Opinion]>([:])
    private let asked = Mutex<[String]>([])
    /// What mints go through before they are answered.
    let door = Door()

    init(_ clock: ManualClock, isCredential: Bool, keys: FakeKeyIssuer? = nil) {
        self.clock = clock
        keyIssuer = keys
        self.isCredential = isCredential
    }

    /// A key that was never spoken of is taken.
    func set(_ key: String, _ opinion: Opinion) { opinions.withLock { $0[key] = opinion } }

    /// The keys of the mints so far.
    var keys: [String] { asked.withLock { $0 } }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let key = request.secret.revealed
        if isCredential, !request.isForced { return Mint(text: token(key), expiry: .never, requestedAt: clock.now()) }
        let count = asked.withLock { keys in
            keys.append(key)
            return keys.count
        }
        await door.pass()
        switch opinions.withLock({ $0[key] }) ?? .takes {
        case .takes: break
        case .refuses: throw MintFailure(.secretRejected, detail: "the provider refused the key")
        case .hangsUp: throw MintFailure(.transient, detail: "the provider cannot be reached")
        }
        if isCredential { return Mint(text: token(key), expiry: .never, requestedAt: clock.now()) }
        return Mint(text: token("\(key)-\(count)"), expiry: .after(.seconds(3600)), requestedAt: clock.now())
    }
}

/// A journal in memory, which ends after so many writes as a process that is killed does.
final class FakeJournal: SecretJournal {
    private struct State {
        var lives: [Name: KeptLife] = [:]
        var writes = 0
        var writesLeft = Int.max
        var failure: StoreError.Code?
        var isPartLost = false
    }

    private let state = Mutex(State())

    /// Loses everything, as a store does whose rows do not decrypt.
    func lose() { state.withLock { ($0.lives, $0.isPartLost) = ([:], true) } }

    var writes: Int { state.withLock { $0.writes } }

    func fail(_ code: StoreError.Code?) { state.withLock { $0.failure = code } }

    /// Takes so many more writes and none after them.
    func end(afterWrites count: Int) { state.withLock { $0.writesLeft = count } }

    /// What a process that starts now finds.
    func copy() -> FakeJournal {
        let copy = FakeJournal()
        let lives = state.withLock { $0.lives }
        copy.state.withLock { $0.lives = lives }
        return copy
    }

    func lives() async throws(StoreError) -> [Name: KeptLife] {
        let (lives, failure) = state.withLock { ($0.lives, $0.failure) }
        if let failure { throw StoreError(failure, "made to fail") }
        return lives
    }

    func mayHaveLost() async throws(StoreError) -> Bool { state.withLock { $0.isPartLost } }

    func keep(
        _ life: SecretLife,
        of secret: Name,
        replacing expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> RecordVersion {
        let result = state.withLock { state -> Result<RecordVersion, StoreError> in
            if let failure = state.failure { return .failure(StoreError(failure, "made to fail")) }
            guard state.writesLeft > 0 else { return .failure(StoreError(.unavailable, "the process is gone")) }
            guard state.lives[secret]?.record == expected else { return .failure(StoreError(.conflict, "overtaken")) }
            state.writes += 1
            state.writesLeft -= 1
            let version = RecordVersion(Int64(state.writes))
            state.lives[secret] = KeptLife(life, version)
            return .success(version)
        }
        return try result.get()
    }
}

/// What was reported, in order.
final class EventRecorder: EventObserver {
    private let events = Mutex<[BrokerEvent]>([])

    func observe(_ event: BrokerEvent) { events.withLock { $0.append(event) } }

    /// The steps of secrets.
    var steps: [SecretStep] {
        events.withLock { events in
            events.compactMap { event in
                guard case .secretStepped(_, _, let step) = event else { return nil }
                return step
            }
        }
    }

    /// How often a file was told to give no value.
    var unreadable: Int {
        events.withLock { events in
            events.count { event in
                if case .secretUnreadable = event { true } else { false }
            }
        }
    }
}
