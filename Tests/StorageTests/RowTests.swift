import Storage
import TestSupport
import Testing
import TokenBroker

@Suite("Store: what is saved comes back", .blocking)
struct RowTests {
    let folder = TemporaryFolder()

    @Test("a token, a user's token and a hold come back whole, with the boot and the time of their writing")
    func roundTrip() async throws {
        let first = Bench(folder)
        let shared = StoredToken.sample()
        let users = StoredToken.sample(subject: "user-1", text: "at_v1_user", generation: 2)
        try await first.store.save(shared)
        try await first.store.save(users)
        try await first.store.save(.sample)
        await first.store.close()

        let second = Bench(folder, bootID: BootID("boot-2"))
        let state = try await second.store.restore()
        let stamp = WriteStamp(bootID: BootID("boot-1"), writtenAt: first.clock.now().wall)
        #expect(Set(state.tokens.map(\.value.key)) == [shared.key, users.key])
        #expect(state.tokens.contains(Stamped(shared, stamp)))
        #expect(state.tokens.contains(Stamped(users, stamp)))
        #expect(state.holds == [Stamped(.sample, stamp)])
        #expect(state.newestWrite == first.clock.now().wall)
        #expect(second.store.health.state == .serving)
    }

    @Test("a token saved again takes the place of the one before, and a removed one is gone")
    func replaceAndRemove() async throws {
        let bench = Bench(folder)
        try await bench.store.save(.sample(text: "first"))
        try await bench.store.save(.sample(text: "second", generation: 2))
        #expect(try await bench.store.restore().texts == ["second"])
        try await bench.store.removeToken(StoredTokenKey(name: "web"))
        try await bench.store.save(.sample)
        try await bench.store.removeHold(StoredHold.sample.key)
        #expect(try await bench.store.restore().tokens.isEmpty)
        #expect(try await bench.store.restore().holds.isEmpty)
    }

    @Test("a shared token and that of a user without a name are two")
    func emptySubject() async throws {
        let bench = Bench(folder)
        try await bench.store.save(.sample(text: "shared"))
        try await bench.store.save(.sample(subject: "", text: "user's"))
        let state = try await bench.store.restore()
        #expect(state.texts == ["shared", "user's"])
        #expect(Set(state.tokens.map(\.value.key.subject)) == [nil, ""])
    }

    @Test(
        "a user's id comes back byte for byte, whatever sign it begins with",
        arguments: ["\u{301}anna", "\u{200D}anna", "\u{20DD}", "=anna", "a\u{30A}nna"]
    )
    func subjectBytes(_ id: String) async throws {
        let bench = Bench(folder)
        try await bench.store.save(.sample(subject: id))
        let subjects = try await bench.store.restore().tokens.map { $0.value.key.subject.map { Array($0.utf8) } }
        #expect(subjects == [Array(id.utf8)])
    }

    @Test("each token comes back with what it was minted from, however many of these there are")
    func definitionDigests() async throws {
        let bench = Bench(folder)
        let digests = (0..<40).map { "digest \($0 % 20)" }
        for (number, digest) in digests.enumerated() {
            try await bench.store.save(.sample(subject: "user-\(number)", definitionDigest: digest))
        }
        let restored = try await bench.store.restore().tokens.map(\.value)
        for (number, digest) in digests.enumerated() {
            #expect(restored.first { $0.key.subject == "user-\(number)" }?.definitionDigest == digest)
        }
    }

    @Test("generations are never handed out twice, not even after a restart or below a floor")
    func generations() async throws {
        let first = Bench(folder)
        let one = try await first.store.reserveGenerations(10, above: Generation(100))
        let two = try await first.store.reserveGenerations(5, above: Generation(0))
        #expect((one.first.number, one.last.number) == (101, 110))
        #expect((two.first.number, two.last.number) == (111, 115))
        await first.store.close()
        let second = Bench(folder)
        #expect(try await second.store.reserveGenerations(1, above: Generation(50)).first.number == 116)
    }

    @Test("a floor that leaves no numbers is an error and not a trap")
    func exhaustedGenerations() async throws {
        let bench = Bench(folder)
        let code = await failureCode { () throws(StoreError) in
            _ = try await bench.store.reserveGenerations(10, above: Generation(.max))
        }
        #expect(code == .unavailable)
    }

    @Test("of two writers that read the same version the second one is refused")
    func compareAndSet() async throws {
        let bench = Bench(folder)
        let id = RecordID(.refreshToken, "palbase")
        let first = try await bench.store.write(Secret("one".utf8), to: id, expecting: nil, .durable)
        let second = try await bench.store.write(Secret("two".utf8), to: id, expecting: first.version, .durable)
        #expect(second.version > first.version)
        let late = await failureCode { () throws(StoreError) in
            _ = try await bench.store.write(Secret("three".utf8), to: id, expecting: first.version, .durable)
        }
        let again = await failureCode { () throws(StoreError) in
            _ = try await bench.store.write(Secret("three".utf8), to: id, expecting: nil, .durable)
        }
        #expect((late, again) == (.conflict, .conflict))
        #expect(try await bench.store.record(id) == second)
        #expect(bench.store.health.state == .serving)
    }

    @Test("a record that was removed and made anew is not taken for the one before")
    func versionsDoNotComeBack() async throws {
        let bench = Bench(folder)
        let id = RecordID(.policy, "route")
        let first = try await bench.store.write(Secret("one".utf8), to: id, expecting: nil, .durable)
        try await bench.store.remove(id, expecting: first.version, .durable)
        #expect(try await bench.store.record(id) == nil)
        let second = try await bench.store.write(Secret("two".utf8), to: id, expecting: nil, .durable)
        #expect(second.version > first.version)
        let code = await failureCode { () throws(StoreError) in
            try await bench.store.remove(id, expecting: first.version, .durable)
        }
        #expect(code == .conflict)
        #expect(try await bench.store.records(of: .policy) == [second])
        #expect(try await bench.store.records(of: .deviceCounter).isEmpty)
    }

    @Test("a lease keeps others out until it ends, is released, or the host starts again")
    func leases() async throws {
        let bench = Bench(folder)
        let lease = try #require(try await bench.store.takeLease(on: "web", by: "a", for: .seconds(10)))
        #expect(try await bench.store.takeLease(on: "web", by: "b", for: .seconds(10)) == nil)
        #expect(try await bench.store.takeLease(on: "other", by: "b", for: .seconds(10)) != nil)
        bench.clock.advance(.seconds(8))
        #expect(try await bench.store.renew(lease, for: .seconds(10)))
        bench.clock.advance(.seconds(8))
        #expect(try await bench.store.takeLease(on: "web", by: "b", for: .seconds(10)) == nil)
        bench.clock.advance(.seconds(2))
        let taken = try #require(try await bench.store.takeLease(on: "web", by: "b", for: .seconds(10)))
        #expect(taken.term > lease.term)
        #expect(try await !bench.store.renew(lease, for: .seconds(10)))
        try await bench.store.release(lease)
        #expect(try await bench.store.takeLease(on: "web", by: "a", for: .seconds(10)) == nil)
        try await bench.store.release(taken)
        #expect(try await bench.store.takeLease(on: "web", by: "a", for: .seconds(10)) != nil)
        await bench.store.close()
        let afterBoot = Bench(folder, bootID: BootID("boot-2"))
        #expect(try await afterBoot.store.takeLease(on: "web", by: "b", for: .seconds(10)) != nil)
    }

    @Test("a lease ends with the process that held it")
    func leaseOfAnEarlierProcess() async throws {
        let bench = Bench(folder)
        #expect(try await bench.store.takeLease(on: "web", by: "a", for: .seconds(10)) != nil)
        #expect(try await bench.store.takeLease(on: "web", by: "b", for: .seconds(10)) == nil)
        await bench.store.close()
        let next = Bench(folder)
        #expect(try await next.store.takeLease(on: "web", by: "b", for: .seconds(10)) != nil)
    }

    @Test("a closed store says so")
    func closed() async throws {
        let bench = Bench(folder)
        try await bench.store.save(.sample())
        await bench.store.close()
        let code = await failureCode { () throws(StoreError) in try await bench.store.save(.sample()) }
        #expect(code == .unavailable)
    }
}
