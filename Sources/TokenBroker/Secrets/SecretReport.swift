/// What operators see of one secret; never a value.
public struct SecretReport: Sendable {
    public let definition: SecretDefinition
    /// The oldest first, each without its value.
    public let versions: [SecretVersion]
    /// The tokens that are minted with it, in the order of their names.
    public let tokens: [Name]
    /// Those among them that are not minted: the secret itself is what they hand out.
    public let credentials: [Name]
    /// Why the file, the credential or, for a managed one, the store gives no value now; the version in force is not
    /// touched by that.
    public let problem: SecretProblem?
    /// How the proof of the candidate goes; nil where there is none, or nobody has tried yet.
    public let trial: SecretTrial?
    /// How it goes with the keys that are to be revoked, as far as anybody has tried.
    public let revocations: [SecretVersionNumber: RevocationTrial]
    /// Whether a restart would find it as it is.
    public let isKept: Bool

    public init(
        definition: SecretDefinition,
        versions: [SecretVersion],
        tokens: [Name],
        credentials: [Name] = [],
        problem: SecretProblem? = nil,
        trial: SecretTrial? = nil,
        revocations: [SecretVersionNumber: RevocationTrial] = [:],
        isKept: Bool = true
    ) {
        self.definition = definition
        self.versions = versions.map { version in
            var version = version
            version.value = nil
            return version
        }
        self.tokens = tokens
        self.credentials = credentials
        self.problem = problem
        self.trial = trial
        self.revocations = revocations
        self.isKept = isKept
    }

    public var active: SecretVersion? { versions.first { $0.state == .active } }
    public var candidate: SecretVersion? { versions.first { $0.state == .staged || $0.state == .verified } }

    /// The oldest key that could not be revoked, with why.
    public var unrevoked: (version: SecretVersion, failure: MintFailure)? {
        for version in versions where version.isOwed {
            if let failure = revocations[version.number]?.lastFailure { return (version, failure) }
        }
        return nil
    }

    /// Whether a person has to look: a bad file, a candidate that was refused, or a key that could not be revoked.
    public var needsAttention: Bool {
        problem != nil || candidate?.refusal != nil || active == nil || unrevoked != nil
    }
}

/// The attempts to prove a candidate.
public struct SecretTrial: Sendable {
    public let number: SecretVersionNumber
    public internal(set) var attempts = 0
    /// When it is tried again by itself; nil where it is not.
    public internal(set) var nextAttempt: BootInstant?
    public internal(set) var lastFailure: MintFailure?
    /// How long was waited after refusals; what was waited for during an outage does not count.
    private var waited: Duration = .zero
    /// When the last attempt was refused; nil where it came to something else.
    private var refusedAt: BootInstant?

    init(_ number: SecretVersionNumber) {
        self.number = number
    }

    /// For how long a refused file or credential is tried again: providers remember for a while that they do not know a
    /// key, and one that was made a moment ago is taken a few minutes later.
    private static let patienceWithRefusals: Duration = .seconds(600)
    static let backoff = Backoff(base: .seconds(2), cap: .seconds(30))

    /// An attempt came to an end, and `next` would be the time of another one.
    ///
    /// An outage is waited out for as long as it takes; a refusal may be a provider's that remembers the key as unknown.
    mutating func goOn(after refusal: SecretStepRefusal, at now: BootInstant, next: BootInstant) {
        if let refusedAt { waited += now.since(refusedAt) }
        refusedAt = nil
        switch refusal {
        case .refused(let failure):
            lastFailure = failure
            refusedAt = now
            nextAttempt = waited + next.since(now) < Self.patienceWithRefusals ? next : nil
        case .unproven(let failure):
            lastFailure = failure
            nextAttempt = next
        case .notKept: nextAttempt = next
        default: break
        }
    }
}

/// The attempts to revoke the key of a version that has retired.
public struct RevocationTrial: Sendable {
    public internal(set) var attempts = 0
    /// When it is tried again; nil while it is being tried.
    public internal(set) var nextAttempt: BootInstant?
    public internal(set) var lastFailure: MintFailure?

    static let backoff = Backoff(base: .seconds(5), cap: .seconds(900))
}

/// A step in the life of a secret, for the log and the audit.
public enum SecretStep: Equatable, Sendable {
    /// The first value ever, active at once.
    case began
    case staged
    case verified
    /// The provider refused the candidate, which changes nothing.
    case refused(MintFailure)
    /// Nobody could say whether the candidate is good, which changes nothing.
    case unproven(MintFailure)
    case promoted(isFinal: Bool)
    /// The version is in force again, after the next one failed.
    case fellBack(MintFailure)
    /// The version is not in force again, although the provider takes it and not the next one: the store does not keep that.
    case notFallenBack(MintFailure, StoreError)
    /// The version is in force again, because an operator wants it.
    case rolledBack
    case retired
    /// Its provider is about to be asked for it.
    case requested(IssuedKey)
    /// Its provider has made it, and it is staged.
    case created(IssuedKey)
    /// The provider made none, which changes nothing.
    case notIssued(MintFailure)
    /// It is not known whether the provider has made it; nothing else changes.
    case lost(IssuedKey, MintFailure)
    /// Its key does not work at the provider any more.
    case revoked(IssuedKey)
    /// That is not so yet; it is tried again.
    case notRevoked(IssuedKey, MintFailure)
}
