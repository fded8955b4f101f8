@testable import TokenBroker

/// A table with its clocks in hand: what each input made happen, and the mints that it started.
struct Harness {
    static let start = Moment(
        boot: BootInstant(nanoseconds: 1_000_000_000_000),
        wall: WallInstant(milliseconds: 1_775_000_000_000)
    )

    var table: TokenTable
    var now = Harness.start
    /// Mints under way, oldest first.
    var flights: [(id: FlightID, key: TokenKey)] = []
    var answers: [WaiterID: TokenAnswer] = [:]
    var events: [BrokerEvent] = []
    var cancelled: [FlightID] = []
    /// What the store was given, and told to forget.
    var saved: [StoredToken] = []
    var removed: [StoredTokenKey] = []
    var hasCaughtUp = false
    var reservedAbove: [Generation] = []
    var holds: [HoldKey: StoredHold] = [:]
    /// What the store is still at work on; nil while it takes everything in at once.
    var writing: [FlightID]?
    private var lastWaiter: UInt64 = 0

    init(_ definition: BrokerDefinition, hasStore: Bool = false, seed: UInt64 = 1, at now: Moment = Harness.start) {
        self.now = now
        table = TokenTable(
            definition,
            generations: GenerationSource(first: 100),
            hasStore: hasStore,
            seed: seed,
            at: now
        )
        table.wake(at: now)
        settle()
    }

    /// Lets time pass on both clocks, waking the table at each instant it asked for.
    mutating func advance(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let wake = table.nextWake, wake <= end.boot {
            now = now.advanced(by: max(wake.since(now.boot), .zero))
            table.wake(at: now)
            settle()
        }
        now = end
    }

    /// Lets time pass until a mint starts.
    ///
    /// - Returns: how long that took; nil where none started within `limit`.
    mutating func advanceToMint(within limit: Duration) -> Duration? {
        let begin = now
        while flights.isEmpty {
            guard let wake = table.nextWake, wake.since(begin.boot) <= limit else { return nil }
            advance(max(wake.since(now.boot), .zero))
        }
        return now.boot.since(begin.boot)
    }

    /// Lets the host sleep, or sets its clock: nothing is called while that happens.
    mutating func jump(boot: Duration = .zero, wall: Duration = .zero) {
        now = Moment(boot: now.boot.advanced(by: boot), wall: now.wall.advanced(by: wall))
        table.wallClockStepped(at: now)
        table.wake(at: now)
        settle()
    }

    typealias Call = (asked: TokenTable.Asked?, waiter: WaiterID)

    mutating func ask(
        _ name: Name,
        for subject: Subject? = nil,
        minimum: Duration = .zero,
        _ details: SubjectDetails? = nil
    ) -> Call {
        call { $0.ask(TokenKey(name, subject), minimum: minimum, details: details, waiter: $1, at: $2) }
    }

    mutating func forceRefresh(_ name: Name) -> Call {
        call { $0.forceRefresh(TokenKey(name), waiter: $1, at: $2) }
    }

    mutating func reject(
        _ name: Name,
        _ text: String,
        for subject: Subject? = nil,
        quotaCode: String? = nil
    ) -> Call {
        call { $0.reject(TokenKey(name, subject), token(text), quotaCode: quotaCode, waiter: $1, at: $2) }
    }

    mutating func awaitNext(
        after generation: Generation,
        _ name: Name,
        for subject: Subject? = nil,
        _ details: SubjectDetails? = nil
    ) -> Call {
        call { $0.awaitNext(after: generation, TokenKey(name, subject), details: details, waiter: $1, at: $2) }
    }

    private mutating func call(_ input: (inout TokenTable, WaiterID, Moment) -> TokenTable.Asked?) -> Call {
        lastWaiter += 1
        let waiter = WaiterID(number: lastWaiter)
        let asked = input(&table, waiter, now)
        settle()
        return (asked, waiter)
    }

    /// Ends the oldest mint with a token.
    mutating func mint(
        _ text: String,
        _ expiry: StatedExpiry = .after(.seconds(3600)),
        providerDate: WallInstant? = nil
    ) {
        end(
            .success(
                Mint(
                    text: token(text),
                    expiry: expiry,
                    requestedAt: now,
                    providerDate: providerDate,
                    clockSkew: providerDate?.since(now.wall)
                )
            )
        )
    }

    /// Ends the oldest mint with a failure.
    ///
    /// - Parameters:
    ///   - pause: what the provider asks for.
    ///   - status: what it answered.
    mutating func fail(_ failureClass: FailureClass = .transient, asking pause: Duration? = nil, status: Int? = nil) {
        let failure = MintFailure(failureClass, detail: "made to fail", providerStatus: status, askedPause: pause)
        end(.failure(failure))
    }

    mutating func end(_ result: Result<Mint, MintFailure>) {
        let flight = flights.removeFirst()
        table.flightEnded(flight.id, result, at: now)
        settle()
    }

    func status(_ name: Name) -> TokenStatus? {
        table.status(of: name, at: now)
    }

    mutating func settle() {
        for effect in table.takeEffects() {
            switch effect {
            case .startMint(let id, let key, _): flights.append((id, key))
            case .cancelMint(let id):
                cancelled.append(id)
                flights.removeAll { $0.id == id }
            case .answer(let waiter, let answer): answers[waiter] = answer
            case .save(let id, let token):
                saved.append(token)
                take(id)
            case .saveAgain(let token): saved.append(token)
            case .refill(let tokens, let isPart):
                saved += tokens
                hasCaughtUp = !isPart
            case .remove(let key): removed.append(key)
            case .reserve(let floor): reservedAbove.append(floor)
            case .saveHold(let id, let hold):
                holds[hold.key] = hold
                if let id { take(id) }
            case .removeHold(let key): holds[key] = nil
            case .report(let event): events.append(event)
            }
        }
    }

    /// The store, which was slow, has taken everything in.
    mutating func finishWriting() {
        for id in writing ?? [] { table.saved(id, at: now) }
        writing = []
        settle()
    }

    private mutating func take(_ id: FlightID) {
        if writing != nil {
            writing?.append(id)
        } else {
            table.saved(id, at: now)
            settle()
        }
    }
}

func token(_ text: String) -> TokenText {
    guard let token = TokenText(text) else { preconditionFailure("not a token") }
    return token
}

extension BrokerDefinition {
    /// Tokens `names` of one account.
    static func account(
        _ names: [Name] = ["web"],
        refresh: RefreshMode = .ahead,
        isPerUser: Bool = false,
        pace: MintPace? = nil,
        options: Options = Options(),
        limits: Limits = Limits()
    ) -> BrokerDefinition {
        BrokerDefinition(
            secrets: ["key": SecretDefinition(name: "key", source: .file(path: "/nowhere"))],
            providers: [
                "account": ProviderDefinition(
                    name: "account",
                    kind: "fake",
                    baseURL: "https://provider.example",
                    secret: "key",
                    timeout: .seconds(10),
                    pace: pace
                )
            ],
            tokens: Dictionary(
                uniqueKeysWithValues: names.map {
                    (
                        $0,
                        TokenDefinition(
                            name: $0,
                            provider: "account",
                            refresh: refresh,
                            credential: CredentialForm(user: isPerUser ? .endUser : .none),
                            options: options
                        )
                    )
                }
            ),
            limits: limits
        )
    }
}

extension TokenTable.Asked? {
    var served: String? { answer?.served }
    var answer: TokenAnswer? {
        if case .answered(let answer)? = self { answer } else { nil }
    }
    var isUnknown: Bool { self.map { _ in false } ?? true }
    var isWaiting: Bool {
        if case .waiting? = self { true } else { false }
    }
}

extension TokenAnswer {
    var served: String? {
        if case .served(let token, _) = self { token.text.revealed } else { nil }
    }
    var isDegraded: Bool {
        if case .served(_, isDegraded: true) = self { true } else { false }
    }
    var failureClass: FailureClass? {
        if case .failed(let failure, _) = self { failure.failureClass } else { nil }
    }
    var retryAfter: Int64? {
        if case .failed(_, let retryAfter) = self { retryAfter } else { nil }
    }
}
