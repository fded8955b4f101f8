// A version whose key a provider makes: written down before the provider is asked, so that none is lost track of.

extension SecretLife {
    /// The version whose key is being asked for; nil where there is none.
    public var requested: SecretVersion? { versions.first { $0.state == .requested } }

    /// Those whose keys still work at their provider though nothing uses them any more, the oldest first.
    public var owed: [SecretVersion] { versions.filter(\.isOwed) }

    /// A key is about to be asked for.
    public mutating func request(
        _ key: IssuedKey,
        at now: WallInstant
    ) throws(SecretStepRefusal) -> SecretVersionNumber {
        guard requested == nil else { throw .underWay }
        return append(fingerprint: "", from: .managed, value: nil, .requested, issued: key, at: now)
    }

    /// The provider made no key.
    public mutating func withdraw(_ number: SecretVersionNumber) {
        versions.removeAll { $0.number == number && $0.state == .requested }
    }

    /// The key that was asked for is here: a candidate, or active at once where there is nothing to protect.
    public mutating func receive(
        _ value: Secret,
        id: String,
        fingerprint: String,
        for number: SecretVersionNumber,
        at now: WallInstant
    ) throws(SecretStepRefusal) -> Arrival {
        let isFirst = active == nil
        try change(number, from: [.requested]) { version in
            version.value = value
            version.fingerprint = fingerprint
            version.issued?.id = id
        }
        dropCandidate(at: now)
        try change(number, from: [.requested]) { $0.enter(isFirst ? .active : .staged, at: now) }
        return isFirst ? .first(number) : .candidate(number)
    }

    /// Nobody knows what became of the request: whatever did is found by its label, and revoked.
    ///
    /// - Parameter id: where the provider did answer, and the value is of no use.
    public mutating func abandon(
        _ number: SecretVersionNumber,
        id: String? = nil,
        because reason: String,
        at now: WallInstant
    ) throws(SecretStepRefusal) {
        try change(number, from: [.requested]) { version in
            version.issued?.id = id
            version.refusal = reason
            version.enter(.retired, at: now)
        }
    }

    /// The version's key does not work any more.
    public mutating func noteRevoked(_ number: SecretVersionNumber, at now: WallInstant) throws(SecretStepRefusal) {
        guard owed.contains(where: { $0.number == number }) else { throw .overtaken }
        try change(number, from: [.retired]) { $0.issued?.revokedAt = now }
        forgetOldest()
    }
}
