@testable import TokenBroker

/// A world around one table: two clocks, a provider with faults, callers, operators. Everything in it comes from one
/// seed, and every step checks what the broker promises.
struct SimulatedWorld {
    /// A promise that did not hold.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private struct Caller {
        let key: TokenKey
        let askedAt: BootInstant
        /// The token that it reported as refused.
        var rejected: String?
        var waitsForNext = false
    }

    private struct MintedToken {
        /// By the true time, which goes on whatever clocks and boots do.
        let deadline: BootInstant
        let definitionVersion: Int
    }

    private enum Write {
        case token(FlightID?, StoredToken)
        case remove(StoredTokenKey)
        case hold(FlightID?, StoredHold)
        case removeHold(HoldKey)
        case refill([StoredToken], isPart: Bool)
    }

    private static let names: [Name] = ["web", "ios", "batch"]

    private var random: SeededRandom
    private var table: TokenTable
    private var now = Harness.start
    private var definitionVersion = 0
    private var flights: [(id: FlightID, key: TokenKey, requestedAt: Moment, definitionVersion: Int)] = []
    private var callers: [WaiterID: Caller] = [:]
    private var minted: [String: MintedToken] = [:]
    private var generations: [Name: Int64] = [:]
    /// The starts of mints in the last minute, by key.
    private var starts: [TokenKey: [BootInstant]] = [:]
    /// What an earlier boot's clock had counted when it ended.
    private var earlierBoots: Duration = .zero
    private var boot = 1
    private let hasStore: Bool
    /// Whether the store fails now.
    private var isStoreBroken = false
    /// Whether a run, and one before the present, served what the store was not given.
    private var isMarkedBehind = false
    private var isBehind = false
    private var rows: [StoredTokenKey: Stamped<StoredToken>] = [:]
    private var newestWrite: WallInstant?
    private var holds: [HoldKey: Stamped<StoredHold>] = [:]
    /// What is on its way into the store.
    private var writes: [Write] = []
    /// Until when, by the true time, callers were told to wait out a pause.
    private var toldPause: BootInstant?
    private var reservedGenerations: Int64 = 0
    private var lastWaiter: UInt64 = 0
    private var lastText = 0
    private var steps = 0
    /// Counts of what happened, to show that the schedule reached the interesting places.
    private(set) var counts: [String: Int] = [:]

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        hasStore = !seed.isMultiple(of: 3)
        table = TokenTable(
            Self.definition(version: 0),
            generations: GenerationSource(first: 1, count: hasStore ? GenerationSource.blockSize : .max),
            hasStore: hasStore,
            seed: seed,
            at: now
        )
        if hasStore {
            reservedGenerations = GenerationSource.blockSize
            restore()
        }
        try settle()
    }

    /// The time that no clock can be wrong about.
    private var truth: BootInstant { now.boot.advanced(by: earlierBoots) }

    /// The provider's calendar clock, which is right.
    private func providerDate(at instant: BootInstant) -> WallInstant {
        Harness.start.wall.advanced(by: instant.advanced(by: earlierBoots).since(Harness.start.boot))
    }

    private static func definition(version: Int) -> BrokerDefinition {
        var limits = Limits()
        limits.endUsers = 5
        let shared = BrokerDefinition.account(names, options: Options(["version": "\(version)"]), limits: limits)
        var tokens = shared.tokens
        tokens["batch"] = TokenDefinition(name: "batch", provider: "account", refresh: .onDemand)
        tokens["user"] = TokenDefinition(name: "user", provider: "account", credential: CredentialForm(user: .endUser))
        return BrokerDefinition(
            secrets: shared.secrets,
            providers: shared.providers,
            tokens: tokens,
            limits: limits
        )
    }

    // MARK: Steps

    mutating func step() throws {
        if Int.random(in: 0..<2, using: &random) == 0 { try finishWrite() }
        if isStoreBroken, Int.random(in: 0..<20, using: &random) == 0 { try mendStore() }
        if hasStore, Int.random(in: 0..<400, using: &random) == 0 { breakStore() }
        // Rare enough by itself: a broker that is killed while a pause lasts.
        if let toldPause, toldPause > truth, Int.random(in: 0..<20, using: &random) == 0 { try restart() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: try pass(.milliseconds(Int64.random(in: 0...2000, using: &random)))
        case 30..<38:
            try finishWrites()
            try pass(.seconds(Int64.random(in: 1...900, using: &random)))
        case 38..<60: try answerFlight()
        case 60..<80: try ask()
        case 80..<85: try reject()
        case 85..<90: try awaitNext()
        case 90..<93: giveUp()
        case 93..<95: try jump()
        case 95..<97: try operate()
        case 97: try restart()
        default: try reload()
        }
        steps += 1
        if steps % 64 == 0 { try checkTable() }
    }

    /// Time passes on both clocks, and the table is woken when it asked to be.
    private mutating func pass(_ duration: Duration) throws {
        let end = now.advanced(by: duration)
        while let wake = table.nextWake, wake <= end.boot {
            now = now.advanced(by: max(wake.since(now.boot), .zero))
            if writes.contains(where: isOverdue) { try finishWrites() }
            table.wake(at: now)
            try settle()
        }
        now = end
    }

    /// The host sleeps, or its clock is set, by minutes or by hours.
    private mutating func jump() throws {
        let size = Duration.seconds(Int64.random(in: -7200...7200, using: &random))
        try finishWrites()
        count("jumps")
        if Bool.random(using: &random), size > .zero {
            now = now.advanced(by: size)
        } else {
            now = Moment(boot: now.boot, wall: now.wall.advanced(by: size))
        }
        table.wallClockStepped(at: now)
        table.wake(at: now)
        try settle()
        try finishWrites()
    }

    private mutating func answerFlight() throws {
        guard let index = flights.indices.randomElement(using: &random) else { return }
        let flight = flights.remove(at: index)
        table.flightEnded(flight.id, result(for: flight), at: now)
        try settle()
    }

    private mutating func result(
        for flight: (id: FlightID, key: TokenKey, requestedAt: Moment, definitionVersion: Int)
    ) -> Result<Mint, MintFailure> {
        let classes: [FailureClass] = [
            .transient, .rateLimited, .rateLimited, .secretRejected, .userRefused, .requestRejected, .untrusted,
            .secretUnavailable, .quotaExhausted,
        ]
        if Int.random(in: 0..<3, using: &random) == 0, let failureClass = classes.randomElement(using: &random) {
            count("failures")
            let pause = Duration.seconds(Int64.random(in: 0...100, using: &random))
            return .failure(
                MintFailure(
                    failureClass,
                    detail: "made to fail",
                    providerStatus: failureClass == .transient ? 503 : nil,
                    askedPause: Bool.random(using: &random) ? pause : nil
                )
            )
        }
        let lifetime = Duration.seconds(
            [-5, 0, 1, 2, 10, 60, 600, 3600, 86400, 400 * 86400].randomElement(using: &random) ?? 60
        )
        if Int.random(in: 0..<10, using: &random) > 0 { lastText += 1 }
        let text = "token\(flight.definitionVersion).\(flight.key.subject?.endUserID ?? "-").\(lastText)"
        if minted[text] == nil {
            let end = flight.requestedAt.boot.advanced(by: earlierBoots + lifetime)
            minted[text] = MintedToken(deadline: end, definitionVersion: flight.definitionVersion)
        }
        let asked = flight.requestedAt.boot.advanced(by: earlierBoots)
        let rest = minted[text].map { $0.deadline.since(asked) } ?? lifetime
        let date = providerDate(at: flight.requestedAt.boot)
        let isAbsolute = Bool.random(using: &random)
        return .success(
            Mint(
                text: token(text),
                expiry: isAbsolute ? .at(date.advanced(by: rest)) : .after(rest),
                requestedAt: flight.requestedAt,
                providerDate: date
            )
        )
    }

    private mutating func ask() throws {
        let key = randomKey()
        let isHurried = Int.random(in: 0..<4, using: &random) == 0
        let minimum = Duration.seconds(isHurried ? Int64.random(in: 1...4000, using: &random) : 0)
        let servable = table.entries[key]?.servable(at: now)
        let asked = try call(Caller(key: key, askedAt: now.boot)) {
            $0.ask(key, minimum: minimum, waiter: $1, at: $2)
        }
        if let servable, !isHurried, asked.served != servable.text.revealed {
            throw Broken(description: "a valid token of \(key.name) was not served")
        }
    }

    private mutating func reject() throws {
        let key = randomKey()
        guard let text = table.entries[key]?.current?.text else { return }
        count("rejections")
        _ = try call(Caller(key: key, askedAt: now.boot, rejected: text.revealed)) {
            $0.reject(key, text, waiter: $1, at: $2)
        }
    }

    private mutating func awaitNext() throws {
        let key = randomKey()
        let known = table.entries[key]?.current?.generation ?? Generation(0)
        _ = try call(Caller(key: key, askedAt: now.boot, waitsForNext: true)) {
            $0.awaitNext(after: known, key, waiter: $1, at: $2)
        }
    }

    private mutating func giveUp() {
        // The order of a dictionary is another in each run; the newest waiters are the same in all.
        let waiter = WaiterID(number: lastWaiter - min(lastWaiter, UInt64.random(in: 0..<20, using: &random)))
        guard let caller = callers[waiter] else { return }
        table.giveUp(waiter, on: caller.key)
        callers[waiter] = nil
    }

    private mutating func operate() throws {
        let key = TokenKey(Self.names.randomElement(using: &random) ?? "web")
        if Bool.random(using: &random) {
            _ = table.drop(key.name, at: now)
        } else {
            _ = try call(Caller(key: key, askedAt: now.boot)) { $0.forceRefresh(key, waiter: $1, at: $2) }
        }
        try settle()
    }

    private mutating func reload() throws {
        if Bool.random(using: &random) {
            definitionVersion += 1
            count("changed definitions")
        }
        table.reload(Self.definition(version: definitionVersion), at: now)
        try settle()
    }

    private mutating func randomKey() -> TokenKey {
        let isUser = Int.random(in: 0..<4, using: &random) == 0
        guard isUser else { return TokenKey(Self.names.randomElement(using: &random) ?? "web") }
        return TokenKey("user", Subject(id: "user\(Int.random(in: 0..<12, using: &random))"))
    }

    private mutating func call(
        _ caller: Caller,
        _ input: (inout TokenTable, WaiterID, Moment) -> TokenTable.Asked?
    ) throws -> TokenTable.Asked? {
        lastWaiter += 1
        let waiter = WaiterID(number: lastWaiter)
        let asked = input(&table, waiter, now)
        if asked.isWaiting { callers[waiter] = caller }
        if let answer = asked.answer { try check(answer, for: caller) }
        try settle()
        return asked
    }

    // MARK: Store

    /// The store has done the oldest write that is on its way into it, or could not.
    private mutating func finishWrite() throws {
        guard !writes.isEmpty else { return }
        switch writes.removeFirst() {
        case .token(let flight, let token):
            put(token)
            if let flight { table.saved(flight, at: now) }
        case .remove(let key):
            if !isStoreBroken { rows[key] = nil }
        case .hold(let flight, let hold):
            if let stamp = stamp() { holds[hold.key] = Stamped(hold, stamp) }
            toldPause = toldPause.map { min($0, hold.until.boot.advanced(by: earlierBoots)) }
            if let flight { table.saved(flight, at: now) }
        case .removeHold(let key):
            if !isStoreBroken { holds[key] = nil }
        case .refill(let tokens, let isPart):
            guard !isStoreBroken else { break }
            if let token = tokens.first {
                put(token)
                writes.insert(.refill(Array(tokens.dropFirst()), isPart: isPart), at: 0)
            } else if !isPart {
                isMarkedBehind = false
                isBehind = false
            }
        }
        try settle()
    }

    /// Whether the table waits for it no longer.
    private func isOverdue(_ write: Write) -> Bool {
        switch write {
        case .token(let flight?, _), .hold(let flight?, _): isOverdue(flight)
        default: false
        }
    }

    private func isOverdue(_ flight: FlightID) -> Bool {
        let key = table.flights[flight]
        return key.flatMap { table.entries[$0]?.flight?.deadline }.map { $0 <= now.boot } == true
    }

    private mutating func put(_ token: StoredToken) {
        if let stamp = stamp() { rows[token.key] = Stamped(token, stamp) }
    }

    /// A disk is faster than what comes next: a power cut after a step of the clock, the deadline of a mint.
    private mutating func finishWrites() throws {
        while !writes.isEmpty { try finishWrite() }
    }

    /// - Returns: nil while the store takes nothing in.
    private mutating func stamp() -> WriteStamp? {
        guard !isStoreBroken else { return nil }
        newestWrite = max(newestWrite ?? now.wall, now.wall)
        return WriteStamp(bootID: BootID("\(boot)"), writtenAt: now.wall)
    }

    private mutating func reserve(_ count: Int64 = GenerationSource.blockSize, above floor: Generation) {
        guard !isStoreBroken else { return table.reserved(nil) }
        let first = max(floor.number, reservedGenerations) + 1
        reservedGenerations = first + count - 1
        table.reserved(GenerationBlock(first: Generation(first), count: count))
    }

    /// The broker is killed, or the whole host goes down; what is not in the store is gone.
    private mutating func restart() throws {
        guard hasStore else { return }
        count("restarts")
        flights = []
        callers = [:]
        writes = []
        let reboots = Bool.random(using: &random)
        if reboots {
            boot += 1
            let down = Duration.seconds(Int64.random(in: 1...600, using: &random))
            let isClockLost = Bool.random(using: &random)
            let atStart = BootInstant(nanoseconds: 5_000_000_000)
            earlierBoots += now.boot.since(atStart) + down
            let wall = isClockLost ? WallInstant(milliseconds: 1_000_000) : now.wall.advanced(by: down)
            now = Moment(boot: atStart, wall: wall)
            starts = [:]
        }
        // The calendar clock's milliseconds are above all that a run without the store has handed out.
        let floor = max(reservedGenerations, generations.values.max() ?? 0)
        isStoreBroken = Int.random(in: 0..<4, using: &random) == 0
        isBehind = isMarkedBehind
        if isStoreBroken { isMarkedBehind = true }
        if reboots || isStoreBroken { toldPause = nil }
        let servable = reboots ? [:] : rows.filter { $0.value.value.deadline.boot.since(now.boot) > .seconds(1) }
        table = TokenTable(
            Self.definition(version: definitionVersion),
            generations: GenerationSource(first: floor + 1, count: isStoreBroken ? .max : state.generationsNeeded),
            hasStore: true,
            seed: random.next(),
            at: now
        )
        guard !isStoreBroken else { return try settle() }
        reservedGenerations = floor + state.generationsNeeded
        restore()
        for (stored, row) in servable where row.stamp.bootID == BootID("\(boot)") {
            guard let key = TokenKey(stored), table.definition.origin(of: key.name) == row.value.definitionDigest else {
                continue
            }
            guard table.entries[key]?.current != nil else { throw Broken(description: "a restart lost a valid token") }
        }
        if let toldPause, toldPause > truth {
            count("kept pauses")
            guard table.account(of: TokenKey("web")).setback?.isActive(at: now) == true else {
                throw Broken(description: "a restart forgot a pause that callers were told of")
            }
        }
        try settle()
    }

    private var state: RestoredState {
        RestoredState(
            tokens: Array(rows.values),
            holds: Array(holds.values),
            newestWrite: newestWrite,
            isBehind: isBehind
        )
    }

    private mutating func restore(isLate: Bool = false) {
        table.restore(state, bootID: BootID("\(boot)"), isLate: isLate, at: now)
    }

    /// The store fails from now on, and notes that beside itself before anybody is served what it was not given.
    private mutating func breakStore() {
        isStoreBroken = true
        isMarkedBehind = true
    }

    private mutating func mendStore() throws {
        isStoreBroken = false
        // The broker's writes are done one after the other, and it looks into the store between two of them.
        try finishWrites()
        if table.isRestored {
            count("recoveries")
            table.storeRecovered(holding: state, at: now)
        } else {
            count("late restores")
            reserve(GenerationSource.blockSize + Int64(rows.count), above: table.generations.newest)
            restore(isLate: true)
        }
        try settle()
    }

    // MARK: Promises

    private mutating func settle() throws {
        for effect in table.takeEffects() {
            switch effect {
            case .startMint(let id, let key, _): try started(id, key)
            case .cancelMint(let id): flights.removeAll { $0.id == id }
            case .answer(let waiter, let answer):
                guard let caller = callers.removeValue(forKey: waiter) else {
                    throw Broken(description: "a caller was answered twice, or after it gave up")
                }
                try check(answer, for: caller)
                notePause(answer)
            case .save(let id, let token): writes.append(.token(id, token))
            case .saveAgain(let token): writes.append(.token(nil, token))
            case .saveHold(let id, let hold): writes.append(.hold(id, hold))
            case .removeHold(let key):
                writes.append(.removeHold(key))
                toldPause = nil
            case .refill(let tokens, let isPart): writes.append(.refill(tokens, isPart: isPart))
            case .remove(let key): writes.append(.remove(key))
            case .reserve(let floor): reserve(above: floor)
            case .report: break
            }
        }
    }

    private mutating func notePause(_ answer: TokenAnswer) {
        guard hasStore, !isStoreBroken, case .failed(let failure, let seconds?) = answer,
            failure.holdsAccount,
            // Another mint's success may have ended it by now.
            table.account(of: TokenKey("web")).setback != nil
        else { return }
        // Callers are told whole seconds, rounded up.
        let end = truth.advanced(by: .seconds(seconds - 1))
        toldPause = max(toldPause ?? end, end)
    }

    private mutating func started(_ id: FlightID, _ key: TokenKey) throws {
        guard !flights.contains(where: { $0.key == key }) else {
            throw Broken(description: "two mints of \(key.name) at one time")
        }
        flights.append((id, key, now, definitionVersion))
        guard flights.count <= ProviderAccount.concurrentMints else {
            throw Broken(description: "\(flights.count) mints at one account")
        }
        let recent = (starts[key] ?? []).filter { now.boot.since($0) < .seconds(60) } + [now.boot]
        starts[key] = recent
        count("mints")
        // 60 attempts a minute are what a scripted provider of 1-second tokens, operators and reloads can cause; a retry
        // without a pause causes thousands.
        guard recent.count <= 100 else { throw Broken(description: "\(recent.count) mints of \(key.name) in a minute") }
    }

    private mutating func check(_ answer: TokenAnswer, for caller: Caller) throws {
        guard case .served(let token, _) = answer else { return }
        count("served")
        let text = token.text.revealed
        guard let origin = minted[text] else { throw Broken(description: "a token that nobody minted was served") }
        guard origin.deadline.since(truth) >= ServedToken.shortestServed else {
            throw Broken(description: "an expired token of \(caller.key.name) was served")
        }
        guard token.condition(at: now) == .live else { throw Broken(description: "a suspended token was served") }
        guard origin.definitionVersion == definitionVersion || caller.key.name == "batch" || caller.key.name == "user"
        else { throw Broken(description: "a token of an old definition was served") }
        guard text.contains(".\(caller.key.subject?.endUserID ?? "-").") else {
            throw Broken(description: "a user got another one's token")
        }
        if let rejected = caller.rejected, rejected == text {
            throw Broken(description: "a refused token was handed back")
        }
        let newest = generations[caller.key.name] ?? 0
        if caller.key.subject == nil {
            guard token.generation.number >= newest else { throw Broken(description: "a generation went backwards") }
            generations[caller.key.name] = token.generation.number
        }
    }

    private func checkTable() throws {
        let deadline = table.definition.limits.mintDeadline + .seconds(1)
        for (_, caller) in callers where !caller.waitsForNext {
            // A flight in the queue has its own deadline from the start, so that nobody waits longer than that.
            guard now.boot.since(caller.askedAt) <= deadline || table.nextWake.map({ $0 <= now.boot }) == true else {
                throw Broken(description: "a caller of \(caller.key.name) waits for ever")
            }
        }
        guard table.users.count <= 5 else { throw Broken(description: "\(table.users.count) users are held") }
    }

    private mutating func count(_ what: String) {
        counts[what, default: 0] += 1
    }
}

extension Subject {
    fileprivate var endUserID: String? {
        if case .endUser(let id, _) = self { id } else { nil }
    }
}
