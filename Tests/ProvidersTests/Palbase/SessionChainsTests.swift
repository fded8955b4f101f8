import Testing
import TokenBroker

@testable import Providers

@Suite("Palbase: an account's sessions")
struct SessionChainsTests {
    private static func chain(_ seed: String, isLost: Bool = false) -> SessionChain {
        var chain = SessionChain(seed: TokenText(seed)!)
        if isLost { chain.lose() }
        return chain
    }

    private static func chains(_ seeds: String...) -> SessionChains {
        SessionChains(seeds.map { chain($0) })
    }

    @Test("take one in for a trial beside the present one and the one before it")
    func trials() {
        var chains = SessionChains()
        for seed in ["present", "before", "first", "second"] { chains.add(Self.chain(seed)) }
        #expect(chains == Self.chains("present", "before", "second"))
    }

    @Test("that were of no use make room for the next one")
    func lostTrial() {
        var chains = SessionChains([Self.chain("present"), Self.chain("refused", isLost: true), Self.chain("before")])
        chains.add(Self.chain("next"))
        #expect(chains == Self.chains("present", "before", "next"))
    }

    @Test("have the one present whose seed is in force, and the one before it second")
    func present() {
        var chains = Self.chains("a", "b", "c")
        chains.makePresent(SeedFingerprint(TokenText("c")!))
        #expect(chains == Self.chains("c", "a", "b"))
        chains.makePresent(SeedFingerprint(TokenText("unknown")!))
        #expect(chains == Self.chains("c", "a", "b"))
    }

    @Test("that have ended are let go of when another has begun, which takes the place of the present one")
    func begun() {
        var chains = SessionChains([Self.chain("a", isLost: true), Self.chain("b"), Self.chain("c")])
        var chain = Self.chain("c")
        chain.succeed(TokenText("c-1")!, accessEnd: nil)
        chains.begun(chain)
        #expect(chains == SessionChains([chain, Self.chain("b")]))
    }

    @Test("leave the present one in its place when another has begun")
    func begunBesides() {
        var chains = Self.chains("a", "b")
        var chain = Self.chain("b")
        chain.succeed(TokenText("b-1")!, accessEnd: nil)
        chains.begun(chain)
        #expect(chains == SessionChains([Self.chain("a"), chain]))
    }
}
