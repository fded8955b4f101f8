/// The life of one long-lived secret: `staged → verified → active → retiring → retired`, for each of its versions; before
/// that `requested`, for one that its provider makes.
///
/// A value without a clock, a disk or a network. Whoever drives it keeps it, durably, after each change and before acting
/// on it, in one write: so whatever is killed when, what was kept is a whole step.
///
/// At most one version is active, and at most one is a candidate (staged or verified): a newer one takes its place.
public struct SecretLife: Equatable, Sendable {
    /// How many retired versions are remembered, without their values: enough to answer what was used last week.
    static let rememberedVersions = 10

    public internal(set) var versions: [SecretVersion]
    /// Of the newest version ever, also where that is forgotten.
    public private(set) var lastNumber: SecretVersionNumber
    /// Whether going back to the version before is still open: once a promotion.
    public private(set) var mayFallBack: Bool

    public init() {
        self.init(versions: [], lastNumber: SecretVersionNumber(0), mayFallBack: false)
    }

    /// A life as it was kept.
    public init(versions: [SecretVersion], lastNumber: SecretVersionNumber, mayFallBack: Bool) {
        self.versions = versions
        self.lastNumber = lastNumber
        self.mayFallBack = mayFallBack
    }

    /// What is minted with; nil before the first value.
    public var active: SecretVersion? { versions.first { $0.state == .active } }

    /// What is to become active.
    public var candidate: SecretVersion? { versions.first { $0.state == .staged || $0.state == .verified } }

    /// Those that were replaced and still count, the newest first.
    public var retiring: [SecretVersion] { versions.reversed().filter { $0.state == .retiring } }

    /// What a value that came in means.
    public enum Arrival: Equatable, Sendable {
        /// The very first: there is nothing to protect, and it is active at once.
        case first(SecretVersionNumber)
        case candidate(SecretVersionNumber)
        /// It is what is known already.
        case known
    }

    /// A value has come in. The value in force says that nothing is wanted in its place: a candidate is let go of.
    public mutating func take(
        _ value: Secret,
        fingerprint: String,
        from origin: SecretVersion.Origin,
        at now: WallInstant
    ) -> Arrival {
        if let active, active.value == value {
            dropCandidate(at: now)
            return .known
        }
        // One that is staged by hand again is to be looked at again.
        if let candidate, candidate.value == value, candidate.refusal == nil || origin != .managed { return .known }
        dropCandidate(at: now)
        let isFirst = active == nil
        let number = append(
            fingerprint: fingerprint,
            from: origin,
            value: value,
            isFirst ? .active : .staged,
            at: now
        )
        return isFirst ? .first(number) : .candidate(number)
    }

    mutating func append(
        fingerprint: String,
        from origin: SecretVersion.Origin,
        value: Secret?,
        _ state: SecretVersion.State,
        issued: IssuedKey? = nil,
        at now: WallInstant
    ) -> SecretVersionNumber {
        lastNumber = SecretVersionNumber(lastNumber.number + 1)
        versions.append(
            SecretVersion(
                number: lastNumber,
                fingerprint: fingerprint,
                origin: origin,
                givenAt: now,
                value: value,
                state: state,
                changedAt: now,
                issued: issued
            )
        )
        return lastNumber
    }

    /// The provider took the candidate.
    public mutating func verify(_ number: SecretVersionNumber, at now: WallInstant) throws(SecretStepRefusal) {
        try change(number, from: [.staged, .verified]) { version in
            version.refusal = nil
            version.wasTakenBack = false
            version.enter(.verified, at: now)
        }
    }

    /// The provider refused the candidate. A key that was made for us is of no use to anybody then: it ends.
    public mutating func refuse(
        _ number: SecretVersionNumber,
        because reason: String,
        at now: WallInstant
    ) throws(SecretStepRefusal) {
        try change(number, from: [.staged, .verified]) { version in
            version.enter(version.issued == nil ? .staged : .retired, at: now)
            version.refusal = reason
        }
        forgetOldest()
    }

    /// The verified candidate becomes what is minted with; the present one retires at `retiresAt`, or at once.
    ///
    /// - Parameter retiresAt: nil for a key that leaked: there is no way back to it.
    /// - Returns: the number that is active now.
    @discardableResult
    public mutating func promote(
        retiring retiresAt: WallInstant?,
        at now: WallInstant
    ) throws(SecretStepRefusal) -> SecretVersionNumber {
        guard let candidate else { throw .noCandidate }
        guard candidate.state == .verified else { throw .notVerified(candidate) }
        for index in versions.indices where versions[index].state == .active {
            versions[index].enter(retiresAt == nil ? .retired : .retiring, at: now)
            versions[index].retiresAt = retiresAt
        }
        if retiresAt == nil { for version in retiring { try? retire(version.number, at: now) } }
        try change(candidate.number, from: [.verified]) { $0.enter(.active, at: now) }
        mayFallBack = retiresAt != nil
        forgetOldest()
        return candidate.number
    }

    /// The version before becomes what is minted with again. The present one stays as a candidate that was refused, so
    /// that the same value does not come back by itself.
    ///
    /// - Returns: the number that is active now.
    @discardableResult
    public mutating func rollBack(
        because reason: String,
        at now: WallInstant
    ) throws(SecretStepRefusal) -> SecretVersionNumber {
        guard let previous = retiring.first else { throw .nothingRetiring }
        dropCandidate(at: now)
        for index in versions.indices where versions[index].state == .active {
            versions[index].enter(.staged, at: now)
            versions[index].refusal = reason
            versions[index].wasTakenBack = true
        }
        try change(previous.number, from: [.retiring]) { $0.enter(.active, at: now) }
        mayFallBack = false
        return previous.number
    }

    /// A version was in force while this life could not be read, and goes on being that; what was active retires.
    mutating func resume(_ present: SecretVersion, retiring retiresAt: WallInstant, at now: WallInstant) {
        guard let value = present.value else { return }
        let arrival = take(value, fingerprint: present.fingerprint, from: present.origin, at: now)
        guard case .candidate(let number) = arrival, (try? verify(number, at: now)) != nil else { return }
        _ = try? promote(retiring: retiresAt, at: now)
    }

    /// Every replaced version ends now, and a managed one that is not taken. That of a file has to be remembered, so that
    /// the same value does not come back by itself.
    ///
    /// - Returns: which they were.
    @discardableResult
    public mutating func retire(at now: WallInstant) throws(SecretStepRefusal) -> [SecretVersionNumber] {
        let numbers = retiring.map(\.number)
        let rejected = candidate.flatMap { $0.origin == .managed && $0.refusal != nil ? $0.number : nil }
        guard rejected != nil || !numbers.isEmpty else { throw .nothingRetiring }
        for number in numbers { try retire(number, at: now) }
        if rejected != nil { dropCandidate(at: now) }
        return numbers + [rejected].compactMap(\.self)
    }

    /// One replaced version ends now.
    public mutating func retire(_ number: SecretVersionNumber, at now: WallInstant) throws(SecretStepRefusal) {
        try change(number, from: [.retiring]) { $0.enter(.retired, at: now) }
        if retiring.isEmpty { mayFallBack = false }
        forgetOldest()
    }

    /// A token of a replaced version lives longer than was known when it was replaced.
    mutating func prolong(_ number: SecretVersionNumber, until end: WallInstant) throws(SecretStepRefusal) {
        try change(number, from: [.retiring]) { $0.retiresAt = end }
    }

    mutating func dropCandidate(at now: WallInstant) {
        for index in versions.indices where versions[index].state == .staged || versions[index].state == .verified {
            versions[index].enter(.retired, at: now)
        }
        forgetOldest()
    }

    mutating func change(
        _ number: SecretVersionNumber,
        from states: Set<SecretVersion.State>,
        _ body: (inout SecretVersion) -> Void
    ) throws(SecretStepRefusal) {
        guard let index = versions.firstIndex(where: { $0.number == number }), states.contains(versions[index].state)
        else { throw .overtaken }
        body(&versions[index])
    }

    /// A version whose key is still to be revoked is not forgotten.
    mutating func forgetOldest() {
        let retired = versions.filter { $0.state == .retired && !$0.isOwed }
        guard let newestForgotten = retired.dropLast(Self.rememberedVersions).last else { return }
        versions.removeAll { $0.state == .retired && !$0.isOwed && $0.number <= newestForgotten.number }
    }
}
