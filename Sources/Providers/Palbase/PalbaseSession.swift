internal import Synchronization
internal import TokenBroker

/// One account's session at Palbase: drives its chain of refresh tokens, and keeps it in the store.
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
        var chain: SessionChain?
        var unsaved: Unsaved?
    }

    /// A successor that the store did not take, with the token that must not be served before it does.
    private struct Unsaved {
        let chain: SessionChain
        let replacing: RecordVersion?
        let mint: Result<Mint, MintFailure>
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
    ///   - seed: the first refresh token, or why there is none. One that nobody has spent begins a new chain, whatever
    ///     becomes of the present one; any other is of no use.
    ///   - key: the project's publishable key.
    func mint(seed: Result<Secret, SecretProblem>, key: Secret) async throws(MintFailure) -> Mint {
        let result = await turns.take { [self] in
            await archive.alone { () async throws(MintFailure) in try await spend(seed: seed, key: key) }
        }
        guard let result else { throw MintFailure(.transient, detail: "the mint was given up before its turn came") }
        return try result.get()
    }

    /// - Parameter isRepeated: whether the answer to this very spend was lost already. One that is lost with its connection
    ///   is asked for again at once: the grace is short, and whoever wants the token may not come back within it.
    private func spend(
        seed: Result<Secret, SecretProblem>,
        key: Secret,
        isRepeated: Bool = false
    ) async throws(MintFailure) -> Mint {
        if let mint = try await keepUnsaved() { return mint }
        var (chain, version) = try await present(seed)
        let before = chain
        let now = now
        switch chain.begin(at: now, key: newKey(at: now)) {
        case .refuse: throw Self.lost
        case .wait: throw Self.undecided
        case .send(let token, let idempotencyKey):
            let intent = try await keep(chain, replacing: version)
            try await claimSeed(token, of: &chain, before, intent)
            let outcome = await endpoint.refresh(token, key: key, idempotencyKey: idempotencyKey)
            if case .unanswered = outcome, !isRepeated {
                return try await spend(seed: seed, key: key, isRepeated: true)
            }
            return try await settle(outcome, chain, before, intent)
        }
    }

    /// The chain to go on with, and the version of its record.
    private func present(
        _ seed: Result<Secret, SecretProblem>
    ) async throws(MintFailure) -> (SessionChain, RecordVersion?) {
        let record = try await archive.record()
        let chain = memory.withLock { memory in
            // A record that is gone is the store's loss; what was remembered of it still holds.
            if let record { memory.chain = SessionChain(payload: record.payload) }
            return memory.chain
        }
        let token = try? seed.get().refreshToken
        if let token, chain?.seed != SeedFingerprint(token) {
            do throws(MintFailure) {
                if try await archive.owner(of: token) == nil { return (SessionChain(seed: token), record?.version) }
            } catch {
                // Whether it is new cannot be told: the session that works goes on.
                guard chain != nil else { throw error }
            }
        }
        if let chain { return (chain, record?.version) }
        if token != nil { throw Self.spentSeed }
        throw Self.noSeed(seed)
    }

    /// A seed is claimed before it is sent for the first time.
    private func claimSeed(
        _ token: TokenText,
        of chain: inout SessionChain,
        _ before: SessionChain,
        _ intent: RecordVersion
    ) async throws(MintFailure) {
        guard SeedFingerprint(token) == chain.seed else { return }
        let isOurs: Bool
        do throws(MintFailure) {
            isOurs = try await archive.claim(token)
        } catch {
            _ = try await keep(before, replacing: intent)
            throw error
        }
        guard !isOurs else { return }
        chain.lose()
        _ = try await keep(chain, replacing: intent)
        throw Self.spentSeed
    }

    private func settle(
        _ outcome: RefreshOutcome,
        _ chain: SessionChain,
        _ before: SessionChain,
        _ intent: RecordVersion
    ) async throws(MintFailure) -> Mint {
        var chain = chain
        switch outcome {
        case .unknown(let failure), .unanswered(let failure):
            throw failure
        case .unspent(let failure):
            // What does not get kept is only taken for undecided.
            if before != chain { _ = try? await keep(before, replacing: intent) }
            throw failure
        case .lost(let failure):
            chain.lose()
            _ = try? await keep(chain, replacing: intent)
            throw failure
        case .succeeded(let successor, let mint):
            chain.succeed(successor, accessEnd: try? end(of: mint.get()))
            memory.withLock { $0.unsaved = Unsaved(chain: chain, replacing: intent, mint: mint) }
            _ = try await keepUnsaved()
            return try mint.get()
        }
    }

    /// Keeps the successor that the store did not take yet.
    ///
    /// - Returns: the token that came with it, while it lives.
    private func keepUnsaved() async throws(MintFailure) -> Mint? {
        guard let unsaved = memory.withLock({ $0.unsaved }) else { return nil }
        do throws(StoreError) {
            _ = try await write(unsaved.chain, replacing: unsaved.replacing)
        } catch  where error.code == .conflict {
            // Another process went on with the session, and has its newest link.
            memory.withLock { $0 = Memory() }
            throw Self.overtaken
        } catch {
            throw SessionArchive.unusable(error)
        }
        memory.withLock { $0.unsaved = nil }
        guard let mint = try? unsaved.mint.get(), !end(of: mint).hasPassed(at: now) else { return nil }
        return mint
    }

    private func keep(
        _ chain: SessionChain,
        replacing version: RecordVersion?
    ) async throws(MintFailure) -> RecordVersion {
        do throws(StoreError) {
            return try await write(chain, replacing: version)
        } catch {
            throw error.code == .conflict ? Self.overtaken : SessionArchive.unusable(error)
        }
    }

    private func write(
        _ chain: SessionChain,
        replacing version: RecordVersion?
    ) async throws(StoreError) -> RecordVersion {
        let written = try await archive.write(chain, replacing: version)
        memory.withLock { $0.chain = chain }
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
    fileprivate var refreshToken: TokenText? {
        hasPrefix(ProjectKey.prefix) ? nil : withBytes { TokenText(String(decoding: $0, as: UTF8.self)) }
    }
}
