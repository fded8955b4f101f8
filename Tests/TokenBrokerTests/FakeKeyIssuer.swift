import Synchronization

@testable import TokenBroker

/// A provider's key API, with the keys that it has made.
final class FakeKeyIssuer: KeyIssuer {
    /// What becomes of a request for a key.
    enum Fate: Sendable {
        case makes
        case refuses
        /// The answer gets lost.
        case loses(isMade: Bool)
    }

    struct Key: Equatable {
        let id: String
        let label: String
        var isRevoked = false
    }

    private struct State {
        var keys: [Key] = []
        var fate = Fate.makes
        /// What every request but that for a key fails with.
        var outage: FailureClass?
        var isTrusted = true
        var looks = 0
        var revocations: [String] = []
        var onIssue: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    static let refusal = MintFailure(.quotaExhausted, detail: "no more keys", providerCode: "plan_limit")

    var keys: [Key] { state.withLock { $0.keys } }
    /// The ids of all revocations asked for.
    var revocations: [String] { state.withLock { $0.revocations } }
    /// How often it was only looked at.
    var looks: Int { state.withLock { $0.looks } }

    func set(_ fate: Fate) { state.withLock { $0.fate = fate } }
    func set(isReachable: Bool) { set(outage: isReachable ? nil : .transient) }
    func set(outage: FailureClass?) { state.withLock { $0.outage = outage } }
    func set(isTrusted: Bool) { state.withLock { $0.isTrusted = isTrusted } }
    /// Called when a key is there, and before its maker is told.
    func onIssue(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onIssue = body } }

    func issue(_ label: String, like: Secret?, by credential: Secret) async throws(KeyIssueFailure) -> NewKey {
        let (fate, onIssue) = state.withLock { ($0.fate, $0.onIssue) }
        let isMade = if case .loses(let isMade) = fate { isMade } else { true }
        if case .refuses = fate { throw .refused(Self.refusal) }
        let id = state.withLock { state in
            let id = "id-\(state.keys.count + 1)"
            if isMade { state.keys.append(Key(id: id, label: label)) }
            return id
        }
        onIssue?()
        if case .loses = fate { throw .unknown(MintFailure(.transient, detail: "no answer")) }
        return NewKey(id: id, value: Secret("made-\(id)".utf8))
    }

    func ids(of label: String, by credential: Secret) async throws(MintFailure) -> [String] {
        try check()
        return state.withLock { state in
            state.looks += 1
            return state.keys.filter { $0.label == label && !$0.isRevoked }.map(\.id)
        }
    }

    func revoke(_ id: String, by credential: Secret) async throws(MintFailure) {
        try check()
        state.withLock { state in
            state.revocations.append(id)
            for index in state.keys.indices where state.keys[index].id == id { state.keys[index].isRevoked = true }
        }
    }

    private func check() throws(MintFailure) {
        let (outage, isTrusted) = state.withLock { ($0.outage, $0.isTrusted) }
        guard isTrusted else { throw MintFailure(.secretRejected, detail: "not this key") }
        if let outage {
            let pause: Duration? = outage == .rateLimited ? .seconds(343_643_178) : nil
            throw MintFailure(outage, detail: "the key API cannot be reached", askedPause: pause)
        }
    }
}
