import Synchronization
import TestSupport
import Testing

@testable import TokenBroker

/// A gate whose work is done where it is asked for, so that a test knows what happened before and after.
final class GateHarness: Sendable {
    let clock = SteppedClock()
    let policy = FakePolicy()
    let audit = FakeAudit()
    let verification = FakeVerification()
    let store: InMemoryStore
    let gate: DeviceGate

    /// - Parameter store: of an earlier gate, which this one comes after.
    init(store: InMemoryStore? = nil, capacity: Int = 100) {
        self.store = store ?? InMemoryStore(clock: clock)
        let random = Mutex(SystemRandomNumberGenerator())
        gate = DeviceGate(
            DeviceGate.Ports(
                policy: policy,
                store: self.store,
                clock: clock,
                audit: audit,
                randomBytes: { count in
                    random.withLock { random in
                        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
                    }
                },
                authenticationCode: { Self.code($0, $1) },
                perform: { $0() }
            ),
            verification: verification,
            capacity: capacity
        )
    }

    /// Differs with every byte of the message and the key, which is all that a test asks of it.
    static func code(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var words: [UInt64] = [14_695_981_039_346_656_037, 1_099_511_628_211]
        for byte in key + message {
            for index in words.indices {
                words[index] = (words[index] ^ UInt64(byte)) &* 1_099_511_628_211 &+ UInt64(index)
            }
        }
        return words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
    }

    private static let clientData = Array("client data".utf8)

    func proof(
        _ device: DeviceID,
        _ counter: UInt32,
        challenge: [UInt8]? = nil,
        over clientData: [UInt8] = clientData
    ) -> DeviceProof {
        DeviceProof(
            device: device,
            challenge: challenge ?? gate.challenge(for: "app"),
            assertion: FakeVerification.assertion(counter, over: Self.clientData),
            clientData: clientData
        )
    }

    func check(
        _ proof: DeviceProof,
        on route: Name = "app",
        in mode: DeviceMode = .enforce
    ) async -> DeviceGate.Answer {
        await withCheckedContinuation { continuation in
            _ = gate.check(proof, on: route, in: mode, by: nil) { continuation.resume(returning: $0) }
        }
    }

    func register(
        key: UInt8 = 1,
        attestation: [UInt8] = FakeVerification.attestation(),
        challenge: [UInt8]? = nil
    ) async -> DeviceGate.Answer {
        let registration = DeviceRegistration(
            challenge: challenge ?? gate.challenge(for: "app"),
            keyID: [UInt8](repeating: key, count: 32),
            attestation: attestation
        )
        return await withCheckedContinuation { continuation in
            _ = gate.register(registration, on: "app", by: nil) { continuation.resume(returning: $0) }
        }
    }

    func revoke(_ id: DeviceID) async -> DeviceGate.Revocation {
        await withCheckedContinuation { continuation in
            gate.revoke(id, by: nil) { continuation.resume(returning: $0) }
        }
    }

    func list(after id: DeviceID? = nil) async -> DeviceGate.Page {
        await withCheckedContinuation { continuation in
            gate.list(after: id) { continuation.resume(returning: $0) }
        }
    }
}

extension DeviceGate.Answer {
    /// Why nothing is believed; nil where it is.
    var reason: String? {
        if case .failure(let rejection) = self { rejection.reason } else { nil }
    }
}
