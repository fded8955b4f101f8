import Synchronization
import TokenBroker
import Upstream

@testable import Providers

/// When a broker is killed: before or after any of the things it does to the world.
///
/// A dead broker has no effect any more, and learns of none.
final class Fate: Sendable {
    private struct State {
        var steps = 0
        var isDead = false
    }

    private let lastStep: Int
    private let state = Mutex(State())

    /// - Parameter lastStep: the step that it does not live to see.
    init(killedAt lastStep: Int = .max) {
        self.lastStep = lastStep
    }

    /// How many steps it took.
    var steps: Int { state.withLock { $0.steps } }
    var isDead: Bool { state.withLock { $0.isDead } }

    private func isAlive() -> Bool {
        state.withLock { state in
            if state.steps == lastStep { state.isDead = true }
            if !state.isDead { state.steps += 1 }
            return !state.isDead
        }
    }

    /// Does something to the world, with a chance to die before and after it.
    func perform<Result, Failure: Error>(
        orDie death: Failure,
        _ work: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard isAlive() else { throw death }
        let result = try await work()
        guard isAlive() else { throw death }
        return result
    }
}

struct MortalSender: HTTPSender {
    let fate: Fate
    let sender: any HTTPSender

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        let death = UpstreamFailure(.closed, "dead", requestMayHaveBeenSent: true)
        return try await fate.perform(orDie: death) { () async throws(UpstreamFailure) in
            try await sender.send(request)
        }
    }
}

struct MortalLedger: SeedLedger {
    let fate: Fate
    let ledger: Ledger
    private static let death = StoreError(.unavailable, "dead")

    init(fate: Fate, ledger: Ledger) {
        self.fate = fate
        self.ledger = ledger
    }

    func owner(of fingerprint: String) async throws(StoreError) -> Name? {
        try await fate.perform(orDie: Self.death) { () async throws(StoreError) in
            try await ledger.owner(of: fingerprint)
        }
    }

    func claim(_ fingerprint: String, for account: Name) async throws(StoreError) -> Name {
        try await fate.perform(orDie: Self.death) { () async throws(StoreError) in
            try await ledger.claim(fingerprint, for: account)
        }
    }
}

/// The seeds that were spent, as the file beside the store has them.
final class Ledger: SeedLedger {
    private let owners = Mutex<[String: Name]>([:])
    private let failure = Mutex<StoreError?>(nil)

    /// Makes every call throw; nil: none.
    func fail(_ code: StoreError.Code?) {
        failure.withLock { $0 = code.map { StoreError($0, "made to fail") } }
    }

    var fingerprints: [String] { owners.withLock { $0.keys.sorted() } }

    func owner(of fingerprint: String) async throws(StoreError) -> Name? {
        if let failure = failure.withLock({ $0 }) { throw failure }
        return owners.withLock { $0[fingerprint] }
    }

    func claim(_ fingerprint: String, for account: Name) async throws(StoreError) -> Name {
        if let failure = failure.withLock({ $0 }) { throw failure }
        return owners.withLock { owners in
            let owner = owners[fingerprint] ?? account
            owners[fingerprint] = owner
            return owner
        }
    }
}
