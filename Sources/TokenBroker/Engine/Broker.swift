import Synchronization

/// The engine's shell: holds the table behind a lock, runs its mints as tasks of their own and passes answers on.
///
/// Every call returns at once. Callbacks are called without the lock, on whatever thread brought the answer.
public final class Broker: Sendable {
    /// Called once with the answer that ``ask(_:minimum:details:onAnswer:)`` could not give at once.
    public typealias AnswerHandler = @Sendable (TokenAnswer) -> Void

    public enum Asked: Sendable {
        case answered(TokenAnswer)
        case waiting(Ticket)
    }

    /// A place in the line of a token; giving it up changes nothing for the others.
    public struct Ticket: Sendable, Hashable {
        let key: TokenKey
        let waiter: WaiterID
    }

    /// What the broker needs from outside.
    public struct Ports: Sendable {
        public var clock: any HostClock
        public var observer: any EventObserver
        /// Told when ``Broker/nextWake`` is another; called from any thread, and never under a lock.
        public var alarmChanged: @Sendable () -> Void

        public init(
            clock: any HostClock,
            observer: any EventObserver,
            alarmChanged: @escaping @Sendable () -> Void
        ) {
            self.clock = clock
            self.observer = observer
            self.alarmChanged = alarmChanged
        }
    }

    /// What an earlier run left behind, and the store that keeps what this one mints.
    public struct Memory: Sendable {
        public let store: any Store
        let restored: RestoredState?
        let bootID: BootID
        let generations: GenerationBlock?

        /// - Parameters:
        ///   - restored: nil where the store cannot be read now; it is read when it works again.
        ///   - generations: nil where the store could not give any.
        public init(
            store: any Store,
            restored: RestoredState?,
            bootID: BootID,
            generations: GenerationBlock?
        ) {
            self.store = store
            self.restored = restored
            self.bootID = bootID
            self.generations = generations
        }
    }

    struct State {
        var table: TokenTable
        fileprivate(set) var supply: Supply
        fileprivate var handlers: [WaiterID: AnswerHandler] = [:]
        fileprivate var tasks: [FlightID: Task<Void, Never>] = [:]
        fileprivate var lastWaiter: UInt64 = 0
        fileprivate var alarm: BootInstant?
        fileprivate var isStopped = false
    }

    private let ports: Ports
    private let writer: StoreWriter?
    private let bootID: BootID?
    private let state: Mutex<State>
    private let changes = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - memory: nil keeps tokens in this process only. Generations then begin at the wall clock's milliseconds, above
    ///     those of earlier runs as long as that clock only goes forwards.
    ///   - seed: for the jitter.
    public init(_ supply: Supply, ports: Ports, memory: Memory? = nil, seed: UInt64) {
        self.ports = ports
        writer = memory.map { StoreWriter($0.store) }
        bootID = memory?.bootID
        let now = ports.clock.now()
        let generations = memory?.generations.map { GenerationSource(first: $0.first.number, count: $0.count) }
        var table = TokenTable(
            supply.definition,
            generations: generations ?? GenerationSource(first: Generation.first(at: now.wall).number),
            hasStore: memory != nil,
            seed: seed,
            at: now
        )
        if let memory, let restored = memory.restored {
            table.restore(restored, bootID: memory.bootID, at: now)
        }
        state = Mutex(State(table: table, supply: supply))
    }

    /// The definition in force.
    public var definition: BrokerDefinition {
        state.withLock { $0.table.definition }
    }

    /// Another number whenever something happened by which an answer may come out otherwise, time passing left aside.
    ///
    /// While it is the number that was read before ``ask(_:minimum:details:onAnswer:)`` served a token, asking again for that
    /// shared token would serve the same, for as long as it is live on both clocks, and would change nothing. Read
    /// without the lock.
    public var changeCount: UInt64 { changes.load(ordering: .acquiring) }

    /// Begins to mint what is to be kept ahead.
    public func start() {
        wake()
    }

    /// Asks for a token with at least `minimum` left.
    ///
    /// - Parameter onAnswer: called once if the result is `.waiting` and the ticket is not given up.
    /// - Returns: nil where there is no such token.
    public func ask(
        _ key: TokenKey,
        minimum: Duration,
        details: SubjectDetails? = nil,
        onAnswer: @escaping AnswerHandler
    ) -> Asked? {
        perform(for: key, onAnswer) { table, waiter, now in
            table.ask(key, minimum: minimum, details: details, waiter: waiter, at: now)
        }
    }

    /// Waits for the generation after `known`; answers at once where another one is served already.
    public func awaitNext(
        after known: Generation,
        _ key: TokenKey,
        details: SubjectDetails? = nil,
        onAnswer: @escaping AnswerHandler
    ) -> Asked? {
        perform(for: key, onAnswer) { table, waiter, now in
            table.awaitNext(after: known, key, details: details, waiter: waiter, at: now)
        }
    }

    /// A caller reports that the provider refused the token with this text, and wants another one.
    ///
    /// - Parameter providerCode: the code that the provider refused it with, where the caller says it.
    public func reject(
        _ key: TokenKey,
        _ text: TokenText,
        providerCode: String? = nil,
        details: SubjectDetails? = nil,
        onAnswer: @escaping AnswerHandler
    ) -> Asked? {
        perform(for: key, onAnswer) { table, waiter, now in
            let isQuota = providerCode.map { table.definition.tokens[key.name]?.quotaCodes.contains($0) == true }
            return table.reject(
                key,
                text,
                quotaCode: isQuota == true ? providerCode : nil,
                details: details,
                waiter: waiter,
                at: now
            )
        }
    }

    /// The headers by which the token's provider lets in one request of an app.
    ///
    /// - Parameter credential: the text of the token that is to be used.
    /// - Returns: nil where there is no such token any more.
    public func headers(
        for request: AppRequest,
        _ name: Name,
        credential: TokenText
    ) throws(AuthorizationRefusal) -> [CredentialHeader]? {
        try supply.headers(for: request, name, credential: credential)
    }

    /// Mints a new token in place of the one held, for an operator.
    public func forceRefresh(_ key: TokenKey, onAnswer: @escaping AnswerHandler) -> Asked? {
        perform(for: key, onAnswer) { table, waiter, now in
            table.forceRefresh(key, waiter: waiter, at: now)
        }
    }

    /// Forgets what is cached of the token.
    ///
    /// - Returns: whether there is such a token.
    public func drop(_ name: Name) -> Bool {
        perform { state, now in state.table.drop(name, at: now) }
    }

    /// The caller does not wait any longer; its handler is not called after this returns.
    public func giveUp(_ ticket: Ticket) {
        state.withLock { state in
            state.handlers[ticket.waiter] = nil
            state.table.giveUp(ticket.waiter, on: ticket.key)
        }
    }

    /// Takes a new definition with its providers; tokens whose making did not change keep what they have.
    public func reload(_ supply: Supply) {
        perform { state, now in
            state.supply = supply
            state.table.reload(supply.definition, at: now)
        }
    }

    /// The accounts and keys in use.
    var supply: Supply { state.withLock { $0.supply } }

    /// When ``wake()`` wants to be called; nil while nothing is due.
    ///
    /// Read by whoever keeps the timer, after `alarmChanged`: an instant passed along could be overtaken by a later one.
    public var nextWake: BootInstant? {
        state.withLock { $0.isStopped ? nil : $0.table.nextWake }
    }

    /// The instant that ``nextWake`` named has come.
    public func wake() {
        perform { state, now in state.table.wake(at: now) }
    }

    /// The calendar clock was set.
    public func wallClockStepped() {
        perform { state, now in state.table.wallClockStepped(at: now) }
    }

    /// The store works again after it did not: it gives what an earlier run left in it, where it has not yet, and gets
    /// all that is in service.
    public func storeRecovered() {
        keep { broker, store in
            // One that fails again tells when it works the next time.
            guard let bootID = broker.bootID, let stored = try? await store.restore() else { return }
            let (isRead, newest) = broker.state.withLock { ($0.table.isRestored, $0.table.generations.newest) }
            guard !isRead else {
                return broker.perform { state, now in state.table.storeRecovered(holding: stored, at: now) }
            }
            // Each of the tokens gets a number that no kill brings back.
            let needed = GenerationSource.blockSize + Int64(stored.tokens.count)
            guard let block = try? await store.reserveGenerations(needed, above: newest) else { return }
            broker.perform { state, now in
                state.table.reserved(block)
                state.table.restore(stored, bootID: bootID, isLate: true, at: now)
            }
        }
    }

    /// Waits until the store has been given all that was minted; to be called after ``stop()``.
    public func finishSaving() async {
        await writer?.finish()
    }

    /// Ends every mint under way; what is waited for is not answered any more.
    public func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            state.handlers = [:]
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    public func status(of name: Name) -> TokenStatus? {
        let now = ports.clock.now()
        return state.withLock { $0.table.status(of: name, at: now) }
    }

    /// The status of every token, in the order of their names.
    public func status() -> [TokenStatus] {
        let now = ports.clock.now()
        return state.withLock { state in
            state.table.definition.tokens.keys.sorted().compactMap { state.table.status(of: $0, at: now) }
        }
    }

    /// What is under way, in numbers.
    public var activity: BrokerActivity {
        state.withLock { BrokerActivity(mints: $0.table.mintsUnderWay, waiters: $0.handlers.count) }
    }

    // MARK: Effects

    /// Runs an input of the table that a caller may have to wait for.
    private func perform(
        for key: TokenKey,
        _ onAnswer: @escaping AnswerHandler,
        _ input: (inout TokenTable, WaiterID, Moment) -> TokenTable.Asked?
    ) -> Asked? {
        perform { state, now in
            state.lastWaiter += 1
            let waiter = WaiterID(number: state.lastWaiter)
            switch input(&state.table, waiter, now) {
            case nil: return nil
            case .answered(let answer): return .answered(answer)
            case .waiting:
                state.handlers[waiter] = onAnswer
                return .waiting(Ticket(key: key, waiter: waiter))
            }
        } isChange: {
            if case .answered = $0 { false } else { true }
        }
    }

    /// Runs one input of the table, then does outside the lock what it asks for.
    ///
    /// - Parameter isChange: whether the result stands for a change even where the input has no effect. The one input
    ///   that does not is a caller's that is answered at once.
    func perform<Result: Sendable>(
        _ input: (inout State, Moment) -> Result,
        isChange: (Result) -> Bool = { _ in true }
    ) -> Result {
        let now = ports.clock.now()
        var calls: [@Sendable () -> Void] = []
        let result = state.withLock { state in
            let result = input(&state, now)
            let effects = state.table.takeEffects()
            if !effects.isEmpty || isChange(result) { changes.add(1, ordering: .releasing) }
            for effect in effects {
                if let call = apply(effect, to: &state) { calls.append(call) }
            }
            if state.table.nextWake != state.alarm {
                state.alarm = state.table.nextWake
                calls.append(ports.alarmChanged)
            }
            return result
        }
        for call in calls { call() }
        return result
    }

    private func apply(_ effect: TokenTable.Effect, to state: inout State) -> (@Sendable () -> Void)? {
        switch effect {
        case .startMint(let flight, let key, let order):
            guard !state.isStopped else { return nil }
            state.tasks[flight] = mint(flight, key, order, with: state.supply)
            return nil
        case .cancelMint(let flight):
            guard let task = state.tasks.removeValue(forKey: flight) else { return nil }
            return { task.cancel() }
        case .answer(let waiter, let answer):
            guard let handler = state.handlers.removeValue(forKey: waiter) else { return nil }
            return { handler(answer) }
        case .report(let event):
            return { [ports] in ports.observer.observe(event) }
        case .save(let flight, let token):
            keep { broker, store in
                try? await store.save(token)
                broker.perform { state, now in state.table.saved(flight, at: now) }
            }
        case .saveAgain(let token): keep { try? await $1.save(token) }
        case .refill(let tokens, let isPart):
            // One that fails again is filled anew when it works the next time.
            keep { _, store in
                do {
                    for token in tokens { try await store.save(token) }
                    if !isPart { try await store.noteCaughtUp() }
                } catch {}
            }
        case .remove(let key): keep { try? await $1.removeToken(key) }
        case .saveHold(let flight, let hold):
            keep { broker, store in
                try? await store.save(hold)
                if let flight { broker.perform { state, now in state.table.saved(flight, at: now) } }
            }
        case .removeHold(let key): keep { try? await $1.removeHold(key) }
        case .reserve(let floor):
            keep { broker, store in
                let block = try? await store.reserveGenerations(GenerationSource.blockSize, above: floor)
                broker.perform { state, _ in state.table.reserved(block) }
            }
        }
        return nil
    }

    /// Queues work for the store. It never holds the lock while it waits, and comes back as an input like any other.
    private func keep(_ work: @escaping @Sendable (Broker, any Store) async -> Void) {
        writer?.add { [self] store in await work(self, store) }
    }

    private func mint(
        _ flight: FlightID,
        _ key: TokenKey,
        _ order: MintOrder,
        with supply: Supply
    ) -> Task<Void, Never> {
        Task {
            let result = await supply.mint(order, for: key.subject)
            perform { state, now in
                state.tasks[flight] = nil
                state.table.flightEnded(flight, result, at: now)
            }
        }
    }
}
