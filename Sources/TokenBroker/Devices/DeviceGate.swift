internal import Synchronization

/// Knows devices by what they sign: gives out challenges, registers keys, and checks the proofs that come with requests.
///
/// Giving out a challenge takes no lock and no memory. All that verifies anything is done by ``Ports/perform``, on a thread
/// that serves nobody, and comes back through a completion, on any thread.
public final class DeviceGate: Sendable {
    /// What the gate needs from outside.
    public struct Ports: Sendable {
        public var policy: any DevicePolicySource
        public var store: (any Store)?
        public var clock: any HostClock
        public var audit: any AuditLog
        /// Bytes that nobody can guess, as many as asked for.
        public var randomBytes: @Sendable (Int) -> [UInt8]
        /// A code for a message that only who has the key can make: 16 bytes or more.
        public var authenticationCode: @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
        /// Does work soon, on another thread than the caller's, one piece after the other.
        public var perform: @Sendable (@escaping @Sendable () -> Void) -> Void

        public init(
            policy: any DevicePolicySource,
            store: (any Store)?,
            clock: any HostClock,
            audit: any AuditLog,
            randomBytes: @escaping @Sendable (Int) -> [UInt8],
            authenticationCode: @escaping @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8],
            perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
        ) {
            self.policy = policy
            self.store = store
            self.clock = clock
            self.audit = audit
            self.randomBytes = randomBytes
            self.authenticationCode = authenticationCode
            self.perform = perform
        }
    }

    /// A device, or why none is believed.
    public typealias Answer = Result<DeviceID, DeviceRejection>

    /// How long a challenge is good.
    public static let challengeLifetime = ChallengeIssuer.lifetime

    /// How many requests wait to be verified at most. One takes a tenth of a millisecond, a registration a few of them.
    static let mostPending = 2048

    let ports: Ports
    let archive: DeviceArchive
    let state: Mutex<State>
    private let issuer: ChallengeIssuer
    private let pending = Atomic(0)

    struct State: Sendable {
        var devices: DeviceTable
        var spent: SpentChallenges
        var verification: any DeviceVerification
        /// Whether the store's devices are among these.
        var isRestored: Bool
        /// Revoked before that: they do not come in with the others.
        var revokedUnseen: Set<DeviceID> = []
        var auditing = AuditAllowance()
    }

    /// - Parameter verification: may be exchanged later, see ``use(_:)``.
    public convenience init(_ ports: Ports, verification: any DeviceVerification) {
        self.init(ports, verification: verification, capacity: DeviceTable.capacity)
    }

    /// - Parameter capacity: how many devices are held.
    init(_ ports: Ports, verification: any DeviceVerification, capacity: Int) {
        self.ports = ports
        let now = ports.clock.now().boot
        issuer = ChallengeIssuer(
            key: ports.randomBytes(ChallengeIssuer.keyLength),
            start: now,
            authenticate: ports.authenticationCode
        )
        archive = DeviceArchive(ports.store)
        state = Mutex(
            State(
                devices: DeviceTable(capacity: capacity),
                spent: SpentChallenges(lifetime: ChallengeIssuer.lifetime, at: now),
                verification: verification,
                isRestored: ports.store == nil
            )
        )
    }

    /// How strict the gate of `route` is now.
    public func mode(of route: Name) -> DeviceMode {
        ports.policy.mode(of: route)
    }

    /// Has attestations checked in another way from now on: there is another root.
    public func use(_ verification: any DeviceVerification) {
        state.withLock { $0.verification = verification }
    }

    /// A new challenge, good for one request to `route`.
    public func challenge(for route: Name) -> [UInt8] {
        var bytes = ports.randomBytes(16)[...]
        guard let high = bytes.takeNumber(UInt64.self), let low = bytes.takeNumber(UInt64.self) else {
            preconditionFailure("too few random bytes")
        }
        return issuer.challenge(ChallengeIssuer.Number(high: high, low: low), for: route, at: ports.clock.now().boot)
    }

    /// Registers a device's key, which then goes by a new name; by its old one where it has registered before.
    ///
    /// - Parameter actor: who passed the request on.
    /// - Returns: false where too many wait to be verified: nothing was done.
    public func register(
        _ registration: DeviceRegistration,
        on route: Name,
        by actor: AuditEvent.Actor?,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) -> Bool {
        verify { [self] in
            do throws(DeviceRejection) {
                try spend(registration.challenge, on: route)
                let key = try key(registration)
                enrol(key, on: route, by: actor, completion)
            } catch {
                note(.denial, error, "device register", on: route, by: actor)
                completion(.failure(error))
            }
        }
    }

    /// Checks the proof that came with a request to `route`.
    ///
    /// - Parameters:
    ///   - mode: what the request is served by.
    ///   - actor: who passed the request on.
    /// - Returns: false where too many wait to be verified: nothing was done.
    public func check(
        _ proof: DeviceProof,
        on route: Name,
        in mode: DeviceMode,
        by actor: AuditEvent.Actor?,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) -> Bool {
        verify { [self] in
            do throws(DeviceRejection) {
                try spend(proof.challenge, on: route)
                let device = try advance(proof)
                archive.save(device, .ordinary) { [self] outcome in
                    guard case .outpaced(let counter) = outcome else { return completion(.success(device.id)) }
                    state.withLock { _ = $0.devices.advance(device.id, to: counter, at: device.lastSeenAt) }
                    refuse(.counterNotGreater, on: route, in: mode, by: actor)
                    completion(.failure(.counterNotGreater))
                }
            } catch {
                refuse(error, on: route, in: mode, by: actor)
                completion(.failure(error))
            }
        }
    }

    /// Writes down that a request was turned away, or would have been where the gate only monitors.
    public func refuse(
        _ rejection: DeviceRejection,
        on route: Name,
        in mode: DeviceMode,
        by actor: AuditEvent.Actor?
    ) {
        note(mode == .monitor ? .monitored : .denial, rejection, "device proof", on: route, by: actor)
    }

    private func verify(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard pending.load(ordering: .relaxed) < Self.mostPending else { return false }
        pending.add(1, ordering: .relaxed)
        ports.perform { [self] in
            pending.subtract(1, ordering: .relaxed)
            work()
        }
        return true
    }

    // MARK: On the verifying thread

    /// Uses a challenge up, whatever comes of the request.
    private func spend(_ challenge: [UInt8], on route: Name) throws(DeviceRejection) {
        let now = ports.clock.now().boot
        let number = try issuer.check(challenge, for: route, at: now)
        guard state.withLock({ $0.spent.spend(number, at: now) }) else { throw .challengeSpent }
    }

    private func key(_ registration: DeviceRegistration) throws(DeviceRejection) -> DeviceKey {
        try state.withLock(\.verification).key(
            attestedBy: registration.attestation,
            keyID: registration.keyID,
            challenge: registration.challenge,
            apps: ports.policy.apps,
            at: ports.clock.now().wall
        )
    }

    private func enrol(
        _ key: DeviceKey,
        on route: Name,
        by actor: AuditEvent.Actor?,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) {
        let id = DeviceID(random: ports.randomBytes(DeviceID.randomBytes))
        let device = Device(id: id, key: key, registeredAt: ports.clock.now().wall)
        let (known, evicted) = state.withLock { state -> (Device?, Device?) in
            if let known = state.devices.device(withKey: key.keyID) { return (known, nil) }
            return (nil, state.devices.add(device))
        }
        // Its answer was lost the first time: a key cannot be attested twice, so that this is the same device.
        if let known { return completion(.success(known.id)) }
        if let evicted { archive.remove(evicted.id) { _ in } }
        ports.audit.record(
            AuditEvent(.device, "device register", of: id.text, detail: "\(key.appID), on route \(route)", by: actor)
        )
        archive.save(device, .durable) { _ in completion(.success(id)) }
    }

    private func advance(_ proof: DeviceProof) throws(DeviceRejection) -> Device {
        let (found, verification) = state.withLock { ($0.devices[proof.device], $0.verification) }
        guard let found else { throw .unknownDevice }
        guard let app = ports.policy.apps.first(where: { $0.appID == found.key.appID }) else { throw .appNotAccepted }
        guard app.environments.contains(found.key.environment) else { throw .environmentNotAccepted }
        let counter = try verification.counter(
            of: proof.assertion,
            by: found.key,
            over: proof.clientData,
            after: found.counter
        )
        let now = ports.clock.now().wall
        switch state.withLock({ $0.devices.advance(found.id, to: counter, at: now) }) {
        case .advanced(let device): return device
        case .gone: throw .unknownDevice
        case .outpaced: throw .counterNotGreater
        }
    }

    private func note(
        _ kind: AuditEvent.Kind,
        _ rejection: DeviceRejection,
        _ action: String,
        on route: Name,
        by actor: AuditEvent.Actor?
    ) {
        let now = ports.clock.now().boot
        guard let skipped = state.withLock({ $0.auditing.take(at: now) }) else { return }
        let detail = skipped == 0 ? rejection.detail : "\(rejection.detail); \(skipped) before it were not written down"
        ports.audit.record(
            AuditEvent(kind, action, of: route.text, outcome: rejection.reason, detail: detail, by: actor)
        )
    }
}
