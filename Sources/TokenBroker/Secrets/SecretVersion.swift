/// Tells the versions of one secret apart: it only grows, and none is used twice.
public struct SecretVersionNumber: Hashable, Comparable, Sendable {
    public let number: Int64

    public init(_ number: Int64) {
        self.number = number
    }

    public static func < (lhs: SecretVersionNumber, rhs: SecretVersionNumber) -> Bool {
        lhs.number < rhs.number
    }
}

/// One value that a long-lived secret has, had, or may get.
public struct SecretVersion: Equatable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        /// Its provider is being asked to make it.
        case requested
        /// Given, and not proven.
        case staged
        /// The provider took it, and nothing is minted with it yet.
        case verified
        /// What is minted with.
        case active
        /// Replaced; tokens minted from it may still live, and it is gone back to if the new one fails.
        case retiring
        /// Its value is wiped.
        case retired
    }

    /// How the value came in.
    public enum Origin: String, CaseIterable, Sendable {
        case managed
        case file
        case credential
    }

    public let number: SecretVersionNumber
    /// Tells values apart without giving one away; only its beginning is shown.
    public internal(set) var fingerprint: String
    public let origin: Origin
    public let givenAt: WallInstant
    /// Nil while it is ``State/requested``, and from ``State/retired`` on.
    public internal(set) var value: Secret?
    public internal(set) var state: State
    /// When it came into this state.
    public internal(set) var changedAt: WallInstant
    /// Why it was not taken, in one sentence: the provider refused it, or it was taken back.
    public internal(set) var refusal: String?
    /// When a ``State/retiring`` one retires by itself.
    public internal(set) var retiresAt: WallInstant?
    /// Nil for a value that was not made for us, and which we therefore cannot revoke.
    public internal(set) var issued: IssuedKey?
    /// Whether it was in force and then gone back from: the same value does not come back by itself.
    public internal(set) var wasTakenBack: Bool

    public init(
        number: SecretVersionNumber,
        fingerprint: String,
        origin: Origin,
        givenAt: WallInstant,
        value: Secret?,
        state: State,
        changedAt: WallInstant,
        refusal: String? = nil,
        retiresAt: WallInstant? = nil,
        issued: IssuedKey? = nil,
        wasTakenBack: Bool = false
    ) {
        self.number = number
        self.fingerprint = fingerprint
        self.origin = origin
        self.givenAt = givenAt
        self.value = value
        self.state = state
        self.changedAt = changedAt
        self.refusal = refusal
        self.retiresAt = retiresAt
        self.issued = issued
        self.wasTakenBack = wasTakenBack
    }

    /// Whether its key is still to be revoked at the provider.
    public var isOwed: Bool { state == .retired && issued.map { $0.revokedAt == nil } == true }

    mutating func enter(_ state: State, at now: WallInstant) {
        self.state = state
        changedAt = now
        retiresAt = nil
        if state == .retired { value = nil }
    }
}
