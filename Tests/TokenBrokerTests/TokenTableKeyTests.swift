import Testing

@testable import TokenBroker

@Suite("Tokens of a replaced key")
struct TokenTableKeyTests {
    private static let new = SecretVersionNumber(2)
    private static let count = 200

    private static func name(_ index: Int) -> Name {
        guard let name = Name("token-\(index)") else { preconditionFailure("not a name") }
        return name
    }

    /// Many tokens of one account, minted with the first version, each for an hour.
    private func harness(drain: Duration? = nil) -> Harness {
        let names = (0..<Self.count).map(Self.name)
        let account = BrokerDefinition.account(names)
        let secret = SecretDefinition(name: "key", source: .managed, drain: drain)
        var harness = Harness(
            BrokerDefinition(secrets: ["key": secret], providers: account.providers, tokens: account.tokens)
        )
        mintAll(&harness, with: SecretVersionNumber(1))
        return harness
    }

    /// Ends all mints under way.
    @discardableResult
    private func mintAll(_ harness: inout Harness, with version: SecretVersionNumber) -> Int {
        var count = 0
        while !harness.flights.isEmpty {
            let mint = Mint(
                text: token("\(version.number)-\(harness.flights[0].key.name)-\(harness.now.boot.nanoseconds)"),
                expiry: .after(.seconds(3600)),
                requestedAt: harness.now
            )
            harness.end(.success(mint.minted(with: version)))
            count += 1
        }
        return count
    }

    @Test(
        "are refreshed early, spread over the drain, and served on meanwhile",
        arguments: [nil, Duration.seconds(100), .seconds(2000)]
    )
    func drain(_ drain: Duration?) {
        var harness = harness(drain: drain)
        let tenth = (drain ?? .seconds(900)).wholeSeconds / 10
        harness.table.keyChanged("key", to: Self.new, at: harness.now)
        harness.settle()
        var mints: [Int] = []
        for _ in 0..<10 {
            for index in 0..<Self.count { #expect(harness.ask(Self.name(index)).asked.served != nil) }
            var count = 0
            for _ in 0..<tenth {
                harness.advance(.seconds(1))
                count += mintAll(&harness, with: Self.new)
            }
            mints.append(count)
        }
        #expect(mints.reduce(0, +) == Self.count)
        // The busiest tenth of the time has no more than twice its share.
        #expect(mints.max() ?? 0 < 2 * Self.count / 10)
        let served = (0..<Self.count).compactMap { harness.ask(Self.name($0)).asked.served }
        #expect(served.count { $0.hasPrefix("2-") } == Self.count)
    }

    @Test("are gone within seconds where the key is not to be relied on")
    func urgent() {
        var harness = harness(drain: .seconds(2000))
        harness.table.keyChanged("key", to: Self.new, isUrgent: true, at: harness.now)
        harness.settle()
        harness.advance(SecretDrain.urgent)
        var mints = 0
        while case let count = mintAll(&harness, with: Self.new), count > 0 { mints += count }
        #expect(mints == Self.count)
    }

    @Test("are left alone where they are of the version in force already")
    func same() {
        var harness = harness(drain: .seconds(100))
        harness.table.keyChanged("key", to: SecretVersionNumber(1), at: harness.now)
        harness.settle()
        harness.advance(.seconds(200))
        #expect(harness.flights.isEmpty)
    }

    @Test("give way to the token that proved the new one, where it is not being replaced anyway")
    func proof() {
        var harness = harness(drain: .seconds(100))
        let first = Self.name(0)
        let mint = Mint(text: token("proof"), expiry: .after(.seconds(3600)), requestedAt: harness.now)
        let proof = self.proof(harness, first, mint)
        let generation = harness.status(first)?.current?.generation
        harness.table.keyChanged("key", to: Self.new, proofs: [proof], at: harness.now)
        harness.settle()
        #expect(harness.ask(first).asked.served == "proof")
        #expect(harness.status(first)?.current?.generation != generation)
    }

    @Test("give way to it also where another was on its way: who waits for that one has this one")
    func proofBesideMint() throws {
        var harness = harness()
        let waiting = harness.forceRefresh(Self.name(1)).waiter
        let mint = Mint(text: token("proof"), expiry: .after(.seconds(3600)), requestedAt: harness.now)
        let proof = self.proof(harness, Self.name(1), mint)
        let outdated = try #require(harness.flights.first?.id)
        harness.table.keyChanged("key", to: Self.new, proofs: [proof], at: harness.now)
        harness.settle()
        #expect(harness.cancelled == [outdated])
        #expect(harness.answers[waiting]?.served == "proof")
    }

    private func proof(_ harness: Harness, _ name: Name, _ mint: Mint) -> SecretProof {
        let origin = harness.table.definition.origin(of: name)
        return SecretProof(key: TokenKey(name), origin: origin, mint: mint.minted(with: Self.new))
    }

    @Test("do not give way to a proof that has ended since, that is half over, or of another account")
    func staleProof() {
        var harness = harness(drain: .seconds(3000))
        let asked = harness.now
        harness.advance(.seconds(60))
        let ended = Mint(text: token("ended"), expiry: .after(.seconds(30)), requestedAt: asked)
        let old = Mint(text: token("old"), expiry: .after(.seconds(120)), requestedAt: asked)
        let foreign = Mint(text: token("foreign"), expiry: .after(.seconds(7200)), requestedAt: asked)
        let proofs = [
            proof(harness, Self.name(0), ended), proof(harness, Self.name(1), old),
            SecretProof(key: TokenKey(Self.name(2)), origin: "another", mint: foreign.minted(with: Self.new)),
        ]
        harness.table.keyChanged("key", to: Self.new, proofs: proofs, at: harness.now)
        harness.settle()
        for index in 0..<proofs.count {
            #expect(harness.ask(Self.name(index)).asked.served?.hasPrefix("1-") == true)
            #expect(harness.status(Self.name(index))?.failures == 0)
        }
    }

    @Test("are refreshed early by the next run, in what is left of the drain", arguments: [false, true])
    func resumed(isUrgent: Bool) {
        var harness = harness(drain: .seconds(2000))
        let since = harness.now.boot.advanced(by: .seconds(-1900))
        let inForce = KeyInForce(version: Self.new, since: since, isUrgent: isUrgent)
        harness.table.keyResumed("key", inForce, at: harness.now)
        harness.settle()
        #expect(harness.flights.isEmpty)
        var mints = 0
        for _ in 0..<(isUrgent ? SecretDrain.urgent.wholeSeconds : 100) {
            harness.advance(.seconds(1))
            while case let count = mintAll(&harness, with: Self.new), count > 0 { mints += count }
        }
        #expect(mints == Self.count)
        harness.table.keyResumed("key", inForce, at: harness.now)
        harness.settle()
        harness.advance(.seconds(100))
        #expect(harness.flights.isEmpty)
    }

    @Test("are no herd in the next run where the drain is long over")
    func resumedLate() {
        var harness = harness(drain: .seconds(100))
        let since = harness.now.boot.advanced(by: .seconds(-1000))
        let inForce = KeyInForce(version: Self.new, since: since, isUrgent: false)
        harness.table.keyResumed("key", inForce, at: harness.now)
        harness.settle()
        var most = 0
        for _ in 0..<SecretDrain.urgent.wholeSeconds {
            harness.advance(.seconds(1))
            var mints = 0
            while case let count = mintAll(&harness, with: Self.new), count > 0 { mints += count }
            most = max(most, mints)
        }
        #expect(most < 2 * Self.count / 10)
    }

    @Test("are asked for again soon where the provider failed, and not only when they would be refreshed anyway")
    func failedEarly() {
        var harness = harness(drain: .seconds(100))
        harness.table.keyChanged("key", to: Self.new, isUrgent: true, at: harness.now)
        harness.settle()
        harness.advance(SecretDrain.urgent)
        while !harness.flights.isEmpty {
            harness.end(.failure(MintFailure(.transient, detail: "the provider answered 503")))
        }
        harness.advance(.seconds(60))
        var mints = 0
        while case let count = mintAll(&harness, with: Self.new), count > 0 { mints += count }
        #expect(mints == Self.count)
    }

    @Test("are not told of a failure with the key before: the mint begins again with the new one")
    func failedMeanwhile() {
        for failureClass in [FailureClass.secretRejected, .secretUnavailable, .transient] {
            var harness = Harness(.account())
            let waiting = harness.ask("web").waiter
            harness.table.keyChanged("key", to: Self.new, at: harness.now)
            harness.fail(failureClass)
            #expect(harness.answers.isEmpty)
            #expect(harness.status("web")?.failuresInARow == 0)
            #expect(mintAll(&harness, with: Self.new) == 1)
            #expect(harness.answers[waiting]?.served?.hasPrefix("2-") == true)
            // One with the new key is.
            _ = harness.forceRefresh("web")
            harness.fail(failureClass)
            #expect(harness.status("web")?.failuresInARow == 1)
        }
    }

    @Test("that come after it was replaced are replaced early, too", arguments: [true, false])
    func cameLater(isUrgent: Bool) {
        var harness = Harness(.account())
        harness.table.keyChanged("key", to: Self.new, isUrgent: isUrgent, at: harness.now)
        mintAll(&harness, with: SecretVersionNumber(1))
        #expect(harness.ask("web").asked.served?.hasPrefix("1-") == true)
        harness.advance(isUrgent ? SecretDrain.urgent : SecretDrain.standard(forLifetime: .seconds(3600)))
        mintAll(&harness, with: Self.new)
        #expect(harness.ask("web").asked.served?.hasPrefix("2-") == true)
    }

    @Test("are not what is served where the key itself is the credential and was on its way")
    func keyOnItsWay() {
        var harness = Harness(.account())
        harness.table.keyChanged("key", to: Self.new, at: harness.now)
        harness.mint("old", .never)
        #expect(harness.ask("web").asked.served == nil)
        harness.mint("new", .never)
        #expect(harness.ask("web").asked.served == "new")
    }

    @Test("say until when the key before is in use")
    func lastUse() {
        var harness = harness()
        harness.advance(.seconds(60))
        let old = SecretVersionNumber(1)
        let use = harness.table.lastUse(of: "key", old, at: harness.now)
        #expect(use == SecretUse(lastEnd: Harness.start.boot.advanced(by: .seconds(3600)), isCredential: false))
        #expect(harness.table.lastUse(of: "key", Self.new, at: harness.now) == nil)
        #expect(harness.table.lastUse(of: "other", old, at: harness.now) == nil)
    }

    @Test("keep the key before for as long as they live, whatever became of them here")
    func lastEnd() {
        var harness = Harness(.account())
        let old = SecretVersionNumber(1)
        mintAll(&harness, with: old)
        let end = harness.now.boot.advanced(by: .seconds(3600))
        // Another with a shorter life took its place, and was dropped.
        _ = harness.forceRefresh("web")
        harness.end(
            .success(
                Mint(text: token("short"), expiry: .after(.seconds(30)), requestedAt: harness.now).minted(with: old)
            )
        )
        _ = harness.table.drop("web", at: harness.now)
        harness.settle()
        harness.table.keyChanged("key", to: Self.new, at: harness.now)
        #expect(harness.table.lastEnd(ofReplaced: old, of: "key", at: harness.now) == end)
        mintAll(&harness, with: Self.new)
        #expect(harness.table.lastEnd(ofReplaced: old, of: "key", at: harness.now) == end)
        harness.advance(.seconds(3600))
        #expect(harness.table.lastEnd(ofReplaced: old, of: "key", at: harness.now) == nil)
    }

    @Test("keep it while one may be on its way")
    func lastEndOfMint() {
        var harness = Harness(.account())
        harness.table.keyChanged("key", to: Self.new, at: harness.now)
        let old = SecretVersionNumber(1)
        let deadline = harness.now.boot.advanced(by: Limits().mintDeadline)
        #expect(harness.table.lastEnd(ofReplaced: old, of: "key", at: harness.now) == deadline)
        mintAll(&harness, with: Self.new)
        #expect(harness.table.lastEnd(ofReplaced: old, of: "key", at: harness.now) == nil)
    }
}
