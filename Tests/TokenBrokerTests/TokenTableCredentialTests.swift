import Testing

@testable import TokenBroker

@Suite("A credential without an end")
struct TokenTableEndlessTests {
    @Test("is had once and never refreshed")
    func neverRefreshed() {
        var engine = Harness(.account())
        engine.mint("key", .never)
        #expect(engine.advanceToMint(within: .seconds(400 * 86400)) == nil)
        #expect(engine.ask("web").asked.served == "key")
        #expect(engine.ask("web", minimum: .seconds(30 * 86400)).asked.served == "key")
    }

    @Test("is served on while it is proven, and is not stale where the provider takes it")
    func proven() throws {
        var engine = Harness(.account())
        engine.mint("key", .never)
        let report = engine.reject("web", "key")
        #expect(engine.ask("web").asked.served == "key")
        engine.mint("key", .never)
        guard case .notStale? = engine.answers[report.waiter] else {
            Issue.record("answered otherwise")
            return
        }
        #expect(engine.ask("web").asked.served == "key")
    }

    @Test(
        "is as good as before when a check of it comes to no verdict, and who reported it is told why",
        arguments: [.transient, .rateLimited, .requestRejected, .quotaExhausted] as [FailureClass]
    )
    func undecided(_ failure: FailureClass) {
        var engine = Harness(.account())
        engine.mint("key", .never)
        let report = engine.reject("web", "key")
        engine.fail(failure)
        #expect(engine.answers[report.waiter]?.failureClass == failure)
        #expect(engine.ask("web").asked.served == "key")
        #expect(engine.ask("web").asked.answer?.isDegraded == false)
        #expect(engine.reject("web", "another").asked.answer?.isDegraded == false)
        #expect(engine.status("web")?.state == .ready)
        #expect(engine.reject("web", "key").asked.answer?.failureClass == failure, "inside the backoff step")
    }

    @Test("stays degraded by a refresh that failed, whatever a check comes to")
    func degraded() {
        var engine = Harness(.account())
        engine.mint("key", .never)
        engine.table.keyChanged("key", to: SecretVersionNumber(2), at: engine.now)
        engine.settle()
        engine.fail()
        #expect(engine.ask("web").asked.answer?.isDegraded == true)
        engine.advance(.seconds(60))
        _ = engine.reject("web", "key")
        engine.fail()
        #expect(engine.ask("web").asked.answer?.isDegraded == true)
        engine.advance(.seconds(60))
        _ = engine.reject("web", "key")
        engine.mint("key", .never)
        #expect(engine.ask("web").asked.answer?.isDegraded == false)
    }

    @Test("is not served any more when the provider refuses it, and is in service again when it does not")
    func refused() {
        var engine = Harness(.account())
        engine.mint("key", .never)
        _ = engine.reject("web", "key")
        engine.fail(.secretRejected)
        #expect(engine.ask("web").asked.failure == .secretRejected)
        #expect(engine.status("web")?.state == .secretRejected)
        #expect(engine.advanceToMint(within: .seconds(60)) != nil)
        engine.mint("key", .never)
        #expect(engine.ask("web").asked.served == "key")
    }

    @Test("changes at once, with another generation, when the key does")
    func changes() throws {
        var engine = Harness(.account())
        engine.mint("key", .never)
        let before = try #require(engine.status("web")?.current?.generation)
        engine.table.keyChanged("key", to: SecretVersionNumber(2), at: engine.now)
        engine.settle()
        #expect(engine.ask("web").asked.served == "key")
        engine.mint("other-key", .never)
        #expect(engine.ask("web").asked.served == "other-key")
        #expect(try #require(engine.status("web")?.current?.generation) > before)
    }
}

@Suite("A token minted from an issuer token")
struct TokenTableIssuerTokenTests {
    private static let subject = Subject.issuerToken(digest: "d")

    private func details(endingIn duration: Duration?) -> SubjectDetails {
        let end = duration.map { Harness.start.wall.advanced(by: $0) }
        return SubjectDetails(issuerToken: IssuerToken(token("issuer"), statedEnd: end))
    }

    @Test("ends with it and is not refreshed for the same end")
    func endsWithIt() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Self.subject, details(endingIn: .seconds(600)))
        engine.mint("one", .after(.seconds(3600)))
        #expect(engine.ask("web", for: Self.subject, details(endingIn: .seconds(600))).asked.served == "one")
        #expect(engine.advanceToMint(within: .seconds(599)) == nil)
        engine.advance(.seconds(601))
        #expect(engine.table.entries.isEmpty)
    }

    @Test("is not refreshed for an end that seems later by what two looks at the clocks differ in")
    func sameEndAgain() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Self.subject, details(endingIn: .seconds(600)))
        engine.mint("one", .after(.seconds(3600)))
        engine.advance(.microseconds(400))
        #expect(engine.ask("web", for: Self.subject, details(endingIn: .seconds(600))).asked.served == "one")
        #expect(engine.advanceToMint(within: .seconds(599)) == nil)
    }

    @Test("who waits for the next one is told that the issuer token has ended")
    func watched() throws {
        var engine = Harness(.account(isPerUser: true))
        let details = details(endingIn: .seconds(600))
        _ = engine.ask("web", for: Self.subject, details)
        engine.mint("one", .after(.seconds(3600)))
        let generation = try #require(engine.table.entries[TokenKey("web", Self.subject)]?.current?.generation)
        let waiter = engine.awaitNext(after: generation, "web", for: Self.subject, details).waiter
        engine.advance(.seconds(598))
        #expect(engine.answers[waiter] == nil)
        engine.advance(.seconds(2))
        #expect(engine.answers[waiter]?.failureClass == .userRefused)
        #expect(engine.flights.isEmpty)
    }

    @Test("is refreshed while the issuer token outlives it")
    func refreshed() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Self.subject, details(endingIn: .seconds(7200)))
        engine.mint("one", .after(.seconds(3600)))
        _ = engine.ask("web", for: Self.subject, details(endingIn: .seconds(7200)))
        #expect(engine.advanceToMint(within: .seconds(3600)) != nil)
        engine.mint("two", .after(.seconds(3600)))
        #expect(engine.ask("web", for: Self.subject, details(endingIn: .seconds(7200))).asked.served == "two")
    }

    @Test("is used for five minutes where the end of the issuer token cannot be seen, however often that is given")
    func opaque() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Self.subject, details(endingIn: nil))
        engine.mint("one", .after(.seconds(3600)))
        engine.advance(.seconds(200))
        #expect(engine.ask("web", for: Self.subject, details(endingIn: nil)).asked.served == "one")
        engine.advance(.seconds(100))
        #expect(engine.ask("web", for: Self.subject, details(endingIn: nil)).asked.served == nil)
    }

    @Test("is judged by the provider's clock where that is known")
    func providerClock() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Subject.issuerToken(digest: "other"), details(endingIn: .seconds(3600)))
        // The host is two hours ahead of the provider.
        engine.mint("zero", .after(.seconds(60)), providerDate: engine.now.wall.advanced(by: .seconds(-7200)))
        #expect(engine.ask("web", for: Self.subject, details(endingIn: .seconds(-3600))).asked.failure == nil)
    }

    @Test("is remembered as refused while the issuer token lives")
    func remembered() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Self.subject, details(endingIn: .seconds(3600)))
        engine.fail(.userRefused)
        engine.advance(.seconds(1800))
        #expect(engine.table.entries.count == 1)
        engine.advance(.seconds(1801))
        #expect(engine.table.entries.isEmpty)
    }
}

@Suite("A pace below the provider's limit")
struct MintPaceTests {
    private static let pace = MintPace(limit: 5, newcomers: 3, window: .seconds(60))

    @Test("keeps new users from taking what those who are known need")
    func newcomers() {
        var engine = Harness(.account(isPerUser: true, pace: Self.pace))
        for number in 0..<3 {
            _ = engine.ask("web", for: Subject(id: "user\(number)"))
            engine.mint("token\(number)", .after(.seconds(30)))
        }
        let refused = engine.ask("web", for: Subject(id: "another")).asked
        #expect(refused.failure == .rateLimited)
        engine.advance(.seconds(29))
        #expect(engine.ask("web", for: Subject(id: "user0")).asked.failure == nil)
        // The two refreshes that the limit leaves room for.
        #expect(engine.flights.count == 2)
    }

    @Test("is never gone over in any window, and everyone is served in the end")
    func limit() {
        var engine = Harness(.account(isPerUser: true, pace: Self.pace))
        var starts: [BootInstant] = []
        var rest = (0..<12).map { Subject(id: "user\($0)") }
        for _ in 0..<600 where !rest.isEmpty {
            for subject in rest {
                _ = engine.ask("web", for: subject)
                guard !engine.flights.isEmpty else { continue }
                starts.append(engine.now.boot)
                engine.mint("token", .after(.seconds(86400)))
                rest.removeAll { $0 == subject }
            }
            engine.advance(.seconds(1))
        }
        #expect(rest.isEmpty)
        for start in starts {
            #expect(starts.count { $0 >= start && $0.since(start) < .seconds(60) } <= 3)
        }
    }
}

@Suite("A pace below the provider's limit after a restart")
struct ResumedPaceTests {
    private static let pace = MintPace(limit: 5, newcomers: 3, window: .seconds(60))
    private static let boot = BootID("boot-1")

    /// A run that minted for three new users, the last of them ten seconds ago.
    private func earlier() -> Harness {
        var engine = Harness(.account(isPerUser: true, pace: Self.pace), hasStore: true)
        for number in 0..<3 {
            _ = engine.ask("web", for: Subject(id: "user\(number)"))
            engine.mint("token\(number)")
            engine.advance(.seconds(10))
        }
        return engine
    }

    @Test("goes on where the run before left it", arguments: [boot, BootID("another boot")])
    func goesOn(_ boot: BootID) {
        let earlier = earlier()
        var engine = Harness(earlier.table.definition, hasStore: true)
        engine.now = earlier.now
        if boot != Self.boot {
            engine.now = Moment(boot: BootInstant(nanoseconds: 5_000_000_000), wall: earlier.now.wall)
        }
        let stamp = WriteStamp(bootID: Self.boot, writtenAt: earlier.now.wall)
        // The store gives its rows in any order.
        let rows = earlier.saved.reversed().map { Stamped($0, stamp) }
        engine.table.reserved(GenerationBlock(first: Generation(1000), count: 4000))
        engine.table.restore(RestoredState(tokens: rows, newestWrite: stamp.writtenAt), bootID: boot, at: engine.now)
        engine.settle()
        let refused = engine.ask("web", for: Subject(id: "another")).asked
        #expect(refused.failure == .rateLimited)
        #expect(refused.answer?.retryAfter == 30)
        // What the limit leaves room for is for those who are known.
        for number in 0..<2 {
            #expect(engine.reject("web", "token\(number)", for: Subject(id: "user\(number)")).asked.isWaiting)
        }
        let last = engine.reject("web", "token2", for: Subject(id: "user2")).asked
        #expect(last.failure == .rateLimited)
        while !engine.flights.isEmpty { engine.mint("token\(engine.flights.count + 2)") }
        engine.advance(.seconds(30))
        #expect(engine.ask("web", for: Subject(id: "another")).asked.isWaiting)
    }
}

extension TokenTable.Asked? {
    fileprivate var failure: FailureClass? {
        if case .failed(let failure, _)? = answer { failure.failureClass } else { nil }
    }
}

@Suite("The memory of end users' tokens")
struct UserMemoryTests {
    @Test("is bounded, the user not seen for longest goes first")
    func bounded() {
        var limits = Limits()
        limits.endUserBytes = 1000
        var engine = Harness(.account(isPerUser: true, limits: limits))
        for number in 0..<50 {
            _ = engine.ask("web", for: Subject(id: "user\(number)"))
            engine.mint(String(repeating: "x", count: 100))
            #expect(engine.table.entries.userBytes <= 1000)
        }
        #expect(engine.ask("web", for: Subject(id: "user49")).asked.served != nil)
        #expect(engine.ask("web", for: Subject(id: "user0")).asked.served == nil)
    }

    @Test("is given back with the tokens")
    func givenBack() {
        var engine = Harness(.account(isPerUser: true))
        let details = SubjectDetails(attributes: "{}", issuerToken: IssuerToken(token("issuer"), statedEnd: nil))
        _ = engine.ask("web", for: .issuerToken(digest: "d"), details)
        #expect(engine.table.entries.userBytes == 8)
        engine.mint("token", .after(.seconds(60)))
        #expect(engine.table.entries.userBytes == 13)
        engine.advance(.seconds(600))
        #expect(engine.table.entries.isEmpty)
        #expect(engine.table.entries.userBytes == 0)
    }
}
