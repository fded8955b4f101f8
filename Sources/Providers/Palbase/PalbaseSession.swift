internal import Synchronization
internal import TokenBroker

/// One account's sessions at Palbase: drives their chains of refresh tokens, and keeps them in the store.
///
/// One spends at a time: in this process by turns, and among processes that share a store by a lease. Each sending comes
/// after a durable write of what is about to happen, and each token served after that of its successor.
final class PalbaseSession: Sendable {
    /// What ends a lost session, for the operator.
    static let remedy = "sign in anew and put the new refresh token into the secret that session names"

    /// For the writes around a request.
    private static let timeToKeep: Duration = .seconds(10)

    /// What is known without the store: it may have been set aside, or not have taken the last change.
    private struct Memory {
        var chains = SessionChains()
        var unsaved: Unsaved?
    }

    /// A successor that the store did not take, with the token that must not be served before it does.
    private struct Unsaved {
        let chains: SessionChains
        let replacing: RecordVersion?
        let seed: SeedFingerprint
        let mint: Result<Mint, MintFailure>
    }

    /// What an access token is wanted for.
    private struct Order {
        let seed: Result<Secret, SecretProblem>
        let key: Secret
        /// Whether it is to show that the seed is good, which is not in force.
        let isTrial: Bool
    }

    /// A chain that is to go on, as it was before.
    private struct Position {
        let chains: SessionChains
        let chain: SessionChain
        let version: RecordVersion?
    }

    private let endpoint: RefreshEndpoint
    private let archive: SessionArchive
    private let clock: any HostClock
    private let bootID: BootID?
    private let turns = Turns()
    private let memory = Mutex(Memory())

    /// - Returns: nil without a store: what is spent could not be kept.
    init?(_ account: ProviderDefinition, _ ports: ProviderPorts) {
        guard let store = ports.store, let seeds = ports.seeds else { return nil }
        endpoint = RefreshEndpoint(sender: ports.sender)
        archive = SessionArchive(
            account: account.name,
            store: store,
            seeds: seeds,
            longestSpend: account.timeout + Self.timeToKeep
        )
        clock = ports.clock
        bootID = ports.bootID
    }

    /// Spends the session's refresh token for an access token.
    ///
    /// - Parameters:
    ///   - seed: the first refresh token, or why there is none. It says which chain goes on: one that nobody has spent
    ///     begins a new one, whatever becomes of the present one. Where its chain is not known, the present one goes on.
    ///   - key: the project's publishable key.
    func mint(seed: Result<Secret, SecretProblem>, key: Secret) async throws(MintFailure) -> Mint {
        try await carryOut(Order(seed: seed, key: key, isTrial: false))
    }

    /// Finds out whether a seed that is not in force is good: spends it, and keeps its successor, with which its session goes
    /// on when it is in force. The present one is left as it is.
    ///
    /// - Throws: `sessionLost` for a seed that is spent or that the provider refuses; `secretRejected` where it refuses the
    ///   key.
    func verify(seed: Secret, key: Secret) async throws(MintFailure) -> Mint {
        try await carryOut(Order(seed: .success(seed), key: key, isTrial: true))
    }

    private func carryOut(_ order: Order) async throws(MintFailure) -> Mint {
        let result = await turns.take { [self] in
            await archive.alone { () async throws(MintFailure) in try await spend(order) }
        }
        guard let result else { throw MintFailure(.transient, detail: "the mint was given up before its turn came") }
        return try result.get()
    }

    /// - Parameter isRepeated: whether the answer to this very spend was lost already. One that is lost with its connection
    ///   is asked for again at once: the grace is short, and whoever wants the token may not come back within it.
    private func spend(_ order: Order, isRepeated: Bool = false) async throws(MintFailure) -> Mint {
        let heldBack = try await keepUnsaved()
        let position = try await position(for: order)
        if let heldBack, heldBack.seed == position.chain.seed { return heldBack.mint }
        var chain = position.chain
        let now = now
        switch chain.begin(at: now, key: newKey(at: now)) {
        case .refuse: throw Self.lost
        case .wait: throw Self.undecided
        case .send(let token, let idempotencyKey):
            let intent = try await keep(chain, in: position.chains, replacing: position.version)
            let isSeed = SeedFingerprint(token) == chain.seed
            if isSeed { try await claim(token, position, intent) }
            let outcome = await endpoint.refresh(token, key: order.key, idempotencyKey: idempotencyKey)
            if case .unanswered = outcome, !isRepeated { return try await spend(order, isRepeated: true) }
            return try await settle(outcome, chain, isFirst: isSeed, position, intent)
        }
    }

    /// The chain to go on with, among all as they are kept.
    private func position(for order: Order) async throws(MintFailure) -> Position {
        let record = try await archive.record()
        var chains = memory.withLock { memory in
            // A record that is gone is the store's loss; what was remembered of it still holds.
            if let record { memory.chains = SessionChains(payload: record.payload) ?? SessionChains() }
            return memory.chains
        }
        let chain = try await chain(for: order, in: &chains)
        if !order.isTrial { chains.makePresent(chain.seed) }
        return Position(chains: chains, chain: chain, version: record?.version)
    }

    private func chain(for order: Order, in chains: inout SessionChains) async throws(MintFailure) -> SessionChain {
        // A trial tells of no other seed than its own.
        let present = order.isTrial ? nil : chains.present
        guard let token = try? order.seed.get().refreshToken else {
            guard let present else { throw Self.noSeed(order.seed) }
            return present
        }
        if let own = chains[SeedFingerprint(token)] { return own }
        do throws(MintFailure) {
            if try await archive.owner(of: token) == nil {
                let new = SessionChain(seed: token)
                chains.add(new)
                return new
            }
        } catch {
            // Whether it is new cannot be told: the session that works goes on.
            guard present != nil else { throw error }
        }
        guard let present else { throw Self.spentSeed }
        return present
    }

    /// A seed is claimed before it is sent for the first time.
    private func claim(_ seed: TokenText, _ position: Position, _ intent: RecordVersion) async throws(MintFailure) {
        let isOurs: Bool
        do throws(MintFailure) {
            isOurs = try await archive.claim(seed)
        } catch {
            _ = try await keep(position.chain, in: position.chains, replacing: intent)
            throw error
        }
        guard !isOurs else { return }
        var chain = position.chain
        chain.lose()
        _ = try await keep(chain, in: position.chains, replacing: intent)
        throw Self.spentSeed
    }

    /// - Parameter isFirst: whether it was the seed that was sent.
    private func settle(
        _ outcome: RefreshOutcome,
        _ chain: SessionChain,
        isFirst: Bool,
        _ before: Position,
        _ intent: RecordVersion
    ) async throws(MintFailure) -> Mint {
        var chain = chain
        switch outcome {
        case .unknown(let failure), .unanswered(let failure):
            throw failure
        case .unspent(let failure):
            // What does not get kept is only taken for undecided.
            if before.chain != chain { _ = try? await keep(before.chain, in: before.chains, replacing: intent) }
            throw failure
        case .lost(let failure):
            chain.lose()
            _ = try? await keep(chain, in: before.chains, replacing: intent)
            throw failure
        case .succeeded(let successor, let mint):
            chain.succeed(successor, accessEnd: try? end(of: mint.get()))
            var chains = before.chains
            if isFirst { chains.begun(chain) } else { chains.update(chain) }
            let unsaved = Unsaved(chains: chains, replacing: intent, seed: chain.seed, mint: mint)
            memory.withLock { $0.unsaved = unsaved }
            _ = try await keepUnsaved()
            return try mint.get()
        }
    }

    /// Keeps the successor that the store did not take yet.
    ///
    /// - Returns: the token that came with it, while it lives, and the seed of its chain.
    private func keepUnsaved() async throws(MintFailure) -> (seed: SeedFingerprint, mint: Mint)? {
        guard let unsaved = memory.withLock({ $0.unsaved }) else { return nil }
        do throws(StoreError) {
            _ = try await write(unsaved.chains, replacing: unsaved.replacing)
        } catch  where error.code == .conflict {
            // Another process went on with the session, and has its newest link.
            memory.withLock { $0 = Memory() }
            throw Self.overtaken
        } catch {
            throw SessionArchive.unusable(error)
        }
        memory.withLock { $0.unsaved = nil }
        guard let mint = try? unsaved.mint.get(), !end(of: mint).hasPassed(at: now) else { return nil }
        return (unsaved.seed, mint)
    }

    private func keep(
        _ chain: SessionChain,
        in chains: SessionChains,
        replacing version: RecordVersion?
    ) async throws(MintFailure) -> RecordVersion {
        var chains = chains
        chains.update(chain)
        do throws(StoreError) {
            return try await write(chains, replacing: version)
        } catch {
            throw error.code == .conflict ? Self.overtaken : SessionArchive.unusable(error)
        }
    }

    private func write(
        _ chains: SessionChains,
        replacing version: RecordVersion?
    ) async throws(StoreError) -> RecordVersion {
        let written = try await archive.write(chains, replacing: version)
        memory.withLock { $0.chains = chains }
        return written
    }
}

// MARK: - Time

extension PalbaseSession {
    /// An access token's documented lifetime, for an answer that names none.
    private static let usualLifetime: Duration = .seconds(1800)
    /// A refresh token's documented lifetime: to wait for longer than that is of no use to it.
    private static let longestWait: Duration = .seconds(30 * 86400)

    private var now: KeptMoment { KeptMoment(moment: clock.now(), bootID: bootID) }

    private func newKey(at now: KeptMoment) -> IdempotencyKey {
        var random = SystemRandomNumberGenerator()
        return IdempotencyKey(at: now.moment.wall, using: &random)
    }

    private func end(of mint: Mint) -> KeptMoment {
        let lifetime = if case .after(let stated) = mint.expiry { stated } else { Self.usualLifetime }
        return KeptMoment(moment: mint.requestedAt, bootID: bootID).advanced(by: min(lifetime, Self.longestWait))
    }
}

// MARK: - Failures

extension PalbaseSession {
    private static let lost = MintFailure(.sessionLost, detail: "the session at the provider has ended; \(remedy)")

    private static let spentSeed = MintFailure(
        .sessionLost,
        detail: "the refresh token that session names was spent before, and its successors are lost; \(remedy)"
    )

    private static let undecided = MintFailure(
        .transient,
        detail: "the last refresh got no answer; its token is presented again when the last access token has ended"
    )

    private static let overtaken = MintFailure(.transient, detail: "another broker went on with the session meanwhile")

    private static func noSeed(_ seed: Result<Secret, SecretProblem>) -> MintFailure {
        switch seed {
        case .success: MintFailure(.secretUnavailable, detail: "the secret that session names is no refresh token")
        case .failure(let problem): MintFailure(.secretUnavailable, detail: problem.description)
        }
    }
}

extension Secret {
    /// Nil for what cannot be one: a project's key, put where the session's token belongs, or several lines.
    var refreshToken: TokenText? {
        hasPrefix(ProjectKey.prefix) ? nil : withBytes { TokenText(String(decoding: $0, as: UTF8.self)) }
    }
}
