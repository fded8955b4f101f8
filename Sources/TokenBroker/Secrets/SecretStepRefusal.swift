/// Why a step in the life of a secret is not taken. The text is safe for any reader and says what to do.
public enum SecretStepRefusal: Error, Equatable {
    /// The configuration has no such secret.
    case unknown
    /// There is no candidate to verify or promote.
    case noCandidate
    /// The candidate was not proven, or was refused.
    case notVerified(SecretVersion)
    /// No replaced version is left to go back to, or to retire.
    case nothingRetiring
    /// Somebody else took a step meanwhile.
    case overtaken
    /// The value comes from a file or a credential, which is where to put another one.
    case notManaged(SecretDefinition)
    /// The value is not one that can be used.
    case unusable(SecretProblem)
    /// The store does not keep the step, and none is taken without that.
    case notKept(StoreError)
    /// The provider refused the candidate.
    case refused(MintFailure)
    /// Nobody could say whether the candidate is good.
    case unproven(MintFailure)
    /// No provider that uses the secret names the key of its key API.
    case noIssuer(Name)
    /// The key of the provider's key API cannot be had.
    case noManagement(MintFailure)
    /// A key is being made for the secret already.
    case underWay
    /// The provider made no key.
    case notIssued(MintFailure)
    /// The provider may have made a key, of which nothing but its name is known.
    case lost(IssuedKey, MintFailure)
    /// Whether a key that was lost before exists cannot be found out now.
    case stillLost(IssuedKey, MintFailure)
}

extension SecretStepRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown: "there is no such secret in the configuration; `tokenbroker secret list` lists them"
        case .noCandidate:
            "there is no candidate: stage a value first, or change the file or credential that the secret comes from"
        case .notVerified(let version): Self.text(of: version)
        case .nothingRetiring: "there is no replaced version any more; to use its value again, give it anew"
        case .overtaken: "the candidate was replaced meanwhile; look at `tokenbroker secret list`"
        case .notManaged(let secret): Self.remedy(for: secret)
        case .unusable(let problem): problem.description
        case .notKept(let error): "the store does not keep the step, so it is not taken: \(error.message)"
        case .refused(let failure): "the provider refused the candidate: \(failure.detail)"
        case .unproven(let failure): "the candidate could not be proven: \(failure.detail)"
        case .noIssuer(let secret):
            "no provider whose key is \(secret) has 'management:', by which it would make one; make the key there, and: "
                + "tokenbroker secret rotate \(secret) < value"
        case .underWay: "a key is being made for this secret already; `tokenbroker secret list` shows its end"
        case .notIssued(let failure), .noManagement(let failure):
            "no key was made, and nothing changed: \(failure.detail)"
        case .lost(let key, let failure):
            "whether the key \(key.text) was made is not known: \(failure.detail). It is looked for and revoked by itself, "
                + "as `tokenbroker secret list` tells, and nothing changed here; try again"
        case .stillLost(let key, let failure):
            "no other key is asked for before it is known whether \(key.text) was made: \(failure.detail)"
        }
    }

    private static func text(of version: SecretVersion) -> String {
        guard let refusal = version.refusal else {
            return "version \(version.number.number) is not verified: verify it first"
        }
        return "version \(version.number.number) is not taken: \(refusal)"
    }

    private static func remedy(for secret: SecretDefinition) -> String {
        switch secret.source {
        case .managed: "secret \(secret.name) is managed"
        case .file(let path):
            "secret \(secret.name) comes from a file: write the new value to \(path); it is noticed by itself"
        case .credential(let name):
            "secret \(secret.name) comes from the credential \(name): change the file that the unit's LoadCredential="
                + " names, and restart the service"
        }
    }
}
