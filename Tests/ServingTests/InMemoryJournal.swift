import Synchronization
import TokenBroker

/// A journal of secrets' lives that fails when a test says so.
final class InMemoryJournal: SecretJournal {
    private struct State {
        var lives: [Name: KeptLife] = [:]
        var isFailing = false
    }

    private let state = Mutex(State())

    func fail() {
        state.withLock { $0.isFailing = true }
    }

    func lives() throws(StoreError) -> [Name: KeptLife] {
        state.withLock { $0.lives }
    }

    func mayHaveLost() -> Bool { false }

    func keep(
        _ life: SecretLife,
        of secret: Name,
        replacing expected: RecordVersion?,
        _ durability: Durability
    ) throws(StoreError) -> RecordVersion {
        let version: RecordVersion? = state.withLock { state in
            guard !state.isFailing else { return nil }
            let version = RecordVersion((expected?.number ?? 0) + 1)
            state.lives[secret] = KeptLife(life, version)
            return version
        }
        guard let version else { throw StoreError(.unavailable, "made to fail") }
        return version
    }
}

/// The files of the tests' secrets: what each holds, or that there is none.
final class GivenSecrets: SecretSource {
    private let values = Mutex<[Name: String]>(["key": FixedSecret.text])

    func put(_ value: String?, for secret: Name) {
        values.withLock { $0[secret] = value }
    }

    func read(_ secret: SecretDefinition) throws(SecretProblem) -> Secret {
        guard let value = values.withLock({ $0[secret.name] }) else {
            throw SecretProblem(.missing, "secret \(secret.name): /nowhere: there is no such file")
        }
        return Secret(value.utf8)
    }
}
