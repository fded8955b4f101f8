import Testing

@testable import TokenBroker

@Suite("A start with what an earlier run left")
struct RestoreTests {
    private static let boot = BootID("boot-1")

    /// A token of `web`, and the pause of an account, as a run of the same boot left them ten minutes ago.
    private func left(
        _ table: TokenTable,
        by boot: BootID = boot,
        of key: TokenKey = TokenKey("web"),
        isBehind: Bool = false
    ) -> RestoredState {
        let issuedAt = Harness.start.advanced(by: .seconds(-600))
        let row = StoredToken(
            key: StoredTokenKey(key),
            definitionDigest: table.definition.origin(of: "web") ?? "",
            text: token("old").bytes,
            generation: Generation(7000),
            issuedAt: issuedAt,
            lifetime: .seconds(3600),
            providerExpiry: issuedAt.wall.advanced(by: .seconds(3600)),
            refreshAge: .seconds(2800)
        )
        return RestoredState(
            tokens: [Stamped(row, WriteStamp(bootID: boot, writtenAt: issuedAt.wall))],
            newestWrite: issuedAt.wall,
            isBehind: isBehind
        )
    }

    private func table(_ generations: GenerationSource, isPerUser: Bool = false) -> TokenTable {
        TokenTable(
            .account(refresh: .onDemand, isPerUser: isPerUser),
            generations: generations,
            hasStore: true,
            seed: 1,
            at: Harness.start
        )
    }

    private static let block = GenerationSource(first: 8000, count: 4000)

    private func refills(_ table: inout TokenTable) -> [(tokens: [StoredToken], isPart: Bool)] {
        table.takeEffects().compactMap { effect in
            if case .refill(let tokens, let isPart) = effect { (tokens, isPart) } else { nil }
        }
    }

    private func current(_ table: TokenTable) -> ServedToken? { table.entries[TokenKey("web")]?.current }

    @Test("a token comes back as it was, and nothing is written")
    func same() {
        var table = table(Self.block)
        table.restore(left(table), bootID: Self.boot, at: Harness.start)
        #expect(current(table)?.text == token("old"))
        #expect(current(table)?.generation == Generation(7000))
        #expect(refills(&table).isEmpty)
    }

    @Test("a token that the run before may have had a newer one of gets a new generation, and so does its row")
    func behind() throws {
        var table = table(Self.block)
        table.restore(left(table, isBehind: true), bootID: Self.boot, at: Harness.start)
        #expect(current(table)?.text == token("old"))
        #expect(current(table)?.generation == Generation(8000))
        let refill = try #require(refills(&table).first)
        #expect(refill.tokens.map(\.generation) == [Generation(8000)])
        #expect(!refill.isPart)
    }

    @Test("where the store gives no numbers, a token gets one above its own")
    func withoutBlock() {
        var table = table(GenerationSource(first: 100))
        table.restore(left(table), bootID: Self.boot, at: Harness.start)
        #expect(current(table)?.generation == Generation(7001))
    }

    @Test("a token of an earlier boot comes back, unless its row may tell the time by a clock that was set since")
    func earlierBoot() {
        for isBehind in [false, true] {
            var table = table(Self.block)
            table.restore(left(table, by: BootID("boot-0"), isBehind: isBehind), bootID: Self.boot, at: Harness.start)
            #expect((current(table) == nil) == isBehind)
        }
    }

    @Test("what waits for the right time waits in the store too, which is then not given everything")
    func dormant() throws {
        var table = table(Self.block)
        let state = left(table, by: BootID("boot-0"))
        let early = Moment(boot: Harness.start.boot, wall: WallInstant(milliseconds: 1_000_000))
        table.restore(state, bootID: Self.boot, at: early)
        table.storeRecovered(holding: state, at: early)
        let effects = table.takeEffects()
        #expect(!effects.contains { if case .remove = $0 { true } else { false } })
        guard case .refill(let tokens, isPart: true)? = effects.last else { throw NotRefilled() }
        #expect(tokens.isEmpty)
    }

    @Test("a user's token waits for the right time too, and is served when the clock has been put right")
    func dormantUser() {
        let key = TokenKey("web", Subject(id: "anna"))
        var table = table(Self.block, isPerUser: true)
        let early = Moment(boot: Harness.start.boot, wall: WallInstant(milliseconds: 1_000_000))
        table.restore(left(table, by: BootID("boot-0"), of: key), bootID: Self.boot, at: early)
        table.wake(at: early.advanced(by: .seconds(60)))
        #expect(table.takeEffects().isEmpty)
        let now = Harness.start.advanced(by: .seconds(120))
        table.wallClockStepped(at: now)
        #expect(table.entries[key]?.servable(at: now)?.text == token("old"))
    }

    @Test("takes as many numbers as it may need")
    func numbers() {
        let table = table(Self.block)
        #expect(left(table).generationsNeeded == GenerationSource.blockSize)
        #expect(left(table, isBehind: true).generationsNeeded == GenerationSource.blockSize + 1)
    }
}

private struct NotRefilled: Error {}
