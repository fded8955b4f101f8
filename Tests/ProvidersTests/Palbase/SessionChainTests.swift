import Testing
import TokenBroker

@testable import Providers

@Suite("Palbase: the chain of refresh tokens")
struct SessionChainTests {
    private static let seed = TokenText("seed")!
    private static let start = moment(0)
    private static let key = IdempotencyKey(text: "idmp_1")
    private static let other = IdempotencyKey(text: "idmp_2")

    private static func moment(_ seconds: Int64, boot: String? = "boot-1") -> KeptMoment {
        let moment = Moment(
            boot: BootInstant(nanoseconds: 1_000_000_000_000),
            wall: WallInstant(milliseconds: 1_775_000_000_000)
        )
        return KeptMoment(moment: moment.advanced(by: .seconds(seconds)), bootID: boot.map { BootID($0) })
    }

    /// A chain whose token is being spent since the start.
    private func spending(accessEnd: Int64? = nil) -> SessionChain {
        var chain = SessionChain(seed: Self.seed)
        if let accessEnd { chain.succeed(Self.seed, accessEnd: Self.moment(accessEnd)) }
        _ = chain.begin(at: Self.start, key: Self.key)
        return chain
    }

    @Test("sends an unspent token, with a key of its own")
    func unspent() {
        var chain = SessionChain(seed: Self.seed)
        #expect(chain.begin(at: Self.start, key: Self.key) == .send(Self.seed, Self.key))
        #expect(chain.state == .spending(Self.seed, SessionChain.Spend(key: Self.key, since: Self.start)))
    }

    @Test("repeats within the grace, under the same key, and the grace counts on from the first sending")
    func repetition() {
        var chain = spending(accessEnd: 1000)
        for second in [0, 10, 24] as [Int64] {
            #expect(chain.begin(at: Self.moment(second), key: Self.other) == .send(Self.seed, Self.key))
        }
        #expect(chain.begin(at: Self.moment(25), key: Self.other) == .wait)
    }

    @Test(
        "past the grace, or where that cannot be told, waits for the last access token's end and no longer",
        arguments: [moment(25), moment(999), moment(1, boot: "boot-2"), moment(1, boot: nil), moment(-1)]
    )
    func undecided(now: KeptMoment) {
        var chain = spending(accessEnd: 1000)
        let before = chain
        #expect(chain.begin(at: now, key: Self.other) == .wait)
        #expect(chain == before)
        #expect(chain.begin(at: Self.moment(1000), key: Self.other) == .send(Self.seed, Self.key))
        #expect(chain.begin(at: Self.moment(1024), key: Self.other) == .send(Self.seed, Self.key))
        #expect(chain.state == .spending(Self.seed, SessionChain.Spend(key: Self.key, since: Self.moment(1000))))
    }

    @Test("has nothing to wait for where there was no access token")
    func withoutAccessToken() {
        var chain = spending()
        #expect(chain.begin(at: Self.moment(3600), key: Self.other) == .send(Self.seed, Self.key))
    }

    @Test("knows the end of an access token by the calendar after the host has started again")
    func otherBoot() {
        var chain = spending(accessEnd: 1000)
        #expect(chain.begin(at: Self.moment(999, boot: "boot-2"), key: Self.other) == .wait)
        #expect(chain.begin(at: Self.moment(1000, boot: "boot-2"), key: Self.other) == .send(Self.seed, Self.key))
    }

    @Test("goes on with the successor, and remembers the last end that was told")
    func success() {
        var chain = spending()
        let next = TokenText("next")!
        chain.succeed(next, accessEnd: Self.moment(1800))
        #expect(chain.state == .unspent(next))
        #expect(chain.accessEnd == Self.moment(1800))
        #expect(chain.begin(at: Self.moment(900), key: Self.other) == .send(next, Self.other))
        chain.succeed(Self.seed, accessEnd: nil)
        #expect(chain.accessEnd == Self.moment(1800))
    }

    @Test("sends nothing any more when it is lost")
    func loss() {
        var chain = spending()
        chain.lose()
        #expect(chain.begin(at: Self.moment(1), key: Self.other) == .refuse)
        #expect(chain.begin(at: Self.moment(1_000_000), key: Self.other) == .refuse)
    }

    @Test("is read back as it was kept")
    func record() throws {
        var lost = spending(accessEnd: 1000)
        lost.lose()
        var nowhere = SessionChain(seed: Self.seed)
        _ = nowhere.begin(at: Self.moment(0, boot: nil), key: Self.key)
        for chain in [SessionChain(seed: Self.seed), spending(), spending(accessEnd: 1000), lost, nowhere] {
            let chains = SessionChains([chain])
            #expect(try #require(SessionChains(payload: chains.payload)) == chains)
        }
        let chains = SessionChains([spending(), lost, SessionChain(seed: TokenText("other")!)])
        #expect(try #require(SessionChains(payload: chains.payload)) == chains)
    }

    @Test(
        "is not read from what this version did not write",
        arguments: [
            "", "{", "[]", "{}", #"{"seed":"a"}"#, #"{"seed":"a","state":"unspent"}"#,
            #"{"seed":"a","state":"unspent","token":"a b"}"#, #"{"seed":"a","state":"spending","token":"t"}"#,
            #"{"seed":"a","state":"spending","token":"t","key":"k","since":{"boot_ns":1}}"#,
            #"{"seed":"a","state":"lost","token":"t"}"#, #"{"seed":"a","state":"new","token":"t"}"#,
            #"{"seed":"a","state":"unspent","token":"t","access_end":{"wall_ms":"1","boot_ns":1}}"#,
        ]
    )
    func foreignRecord(payload: String) {
        #expect(SessionChains(payload: Secret(payload.utf8)) == nil)
    }
}

@Suite("Palbase: keys and turns")
struct PalbaseValueTests {
    @Test("an idempotency key has the clock's milliseconds before its randomness")
    func idempotencyKey() {
        var random = SystemRandomNumberGenerator()
        let now = WallInstant(milliseconds: 0x0000_019D_4A7C_3B21)
        let (one, other) = (IdempotencyKey(at: now, using: &random), IdempotencyKey(at: now, using: &random))
        #expect(one.text.hasPrefix("idmp_019d4a7c3b21"))
        #expect(one.text.wholeMatch(of: #/idmp_[0-9a-f]{32}/#) != nil)
        #expect(one != other)
    }

    @Test(
        "a project's key tells what it may do",
        arguments: [
            ("pb_demo_c0123", .publishable), ("pb_demo_s0123", .service), ("pb_demo_c_0", .publishable),
            ("pb_demo_x0123", nil), ("pb_demo_c", nil), ("pb_demo", nil), ("pb__c0123", nil), ("demo_c0123", nil),
            ("pb_demo_c0 1", nil), ("", nil),
        ] as [(String, ProjectKey.Scope?)]
    )
    func projectKey(text: String, scope: ProjectKey.Scope?) {
        #expect(ProjectKey(Secret(text.utf8))?.scope == scope)
    }

    @Test("work is done one at a time, in order, and to its end")
    func turns() async {
        let turns = Turns()
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let first = Task {
            await turns.take {
                beginning.yield()
                for await _ in gate { break }
                return Task.isCancelled
            }
        }
        for await _ in begun { break }
        let second = Task { await turns.take { 2 } }
        second.cancel()
        first.cancel()
        opening.yield()
        #expect(await first.value == false, "what has begun is not cancelled with its caller")
        #expect(await second.value == nil, "what was given up is not begun")
        #expect(await turns.take { 3 } == 3)
    }
}
