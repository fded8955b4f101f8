internal import TokenBroker

/// What outlives the process of one account's sessions: their chains in the store, and the seeds that were spent.
struct SessionArchive: Sendable {
    let account: Name
    let store: any Store
    let seeds: any SeedLedger
    /// Longer than one spend takes, with all that is kept around it.
    let longestSpend: Duration

    private var id: RecordID { RecordID(.refreshToken, account.text) }

    /// Does `work` while nobody else who shares the store may spend the session's tokens.
    ///
    /// Each time takes the lease under a name of its own: two providers of one account are two holders, also in one process,
    /// where one of them may be left over from before a reload.
    func alone(
        _ work: @Sendable () async throws(MintFailure) -> Mint
    ) async -> Result<Mint, MintFailure> {
        let holder = "palbase-\(UInt64.random(in: .min ... .max))"
        let lease: Lease?
        do throws(StoreError) {
            lease = try await store.takeLease(on: "palbase-session/\(account)", by: holder, for: longestSpend)
        } catch {
            return .failure(Self.unusable(error))
        }
        guard let lease else {
            return .failure(MintFailure(.transient, detail: "the session's refresh token is being spent already"))
        }
        let result: Result<Mint, MintFailure>
        do throws(MintFailure) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        // One that is not given back ends by itself.
        try? await store.release(lease)
        return result
    }

    func record() async throws(MintFailure) -> VersionedRecord? {
        do throws(StoreError) {
            return try await store.record(id)
        } catch {
            throw Self.unusable(error)
        }
    }

    /// - Parameter version: of the record that the chains go on from; nil where there was none.
    /// - Throws: `conflict` when somebody else has written it meanwhile. A store that was begun anew has no record, and what
    ///   is in hand is all that is left of the session: it is kept there.
    func write(_ chains: SessionChains, replacing version: RecordVersion?) async throws(StoreError) -> RecordVersion {
        do throws(StoreError) {
            return try await store.write(chains.payload, to: id, expecting: version, .durable).version
        } catch {
            guard error.code == .conflict, version != nil, try await store.record(id) == nil else { throw error }
            return try await store.write(chains.payload, to: id, expecting: nil, .durable).version
        }
    }

    /// Who has spent the seed.
    func owner(of seed: TokenText) async throws(MintFailure) -> Name? {
        do throws(StoreError) {
            return try await seeds.owner(of: SeedFingerprint(seed).text)
        } catch {
            throw Self.unusable(error)
        }
    }

    /// - Returns: whether the seed is this account's to spend.
    func claim(_ seed: TokenText) async throws(MintFailure) -> Bool {
        do throws(StoreError) {
            return try await seeds.claim(SeedFingerprint(seed).text, for: account) == account
        } catch {
            throw Self.unusable(error)
        }
    }

    static func unusable(_ error: StoreError) -> MintFailure {
        MintFailure(
            .secretUnavailable,
            detail: "the store does not keep refresh tokens now, and none is spent without that: \(error.message)"
        )
    }
}
