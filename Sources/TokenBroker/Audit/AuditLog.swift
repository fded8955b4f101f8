/// The port to the record of who did what: it outlives the process, and nobody can change it unseen.
public protocol AuditLog: Sendable {
    /// Writes one event down; returns at once, and never fails: what cannot be written is counted as a gap.
    func record(_ event: AuditEvent)
}

/// One thing that is written down: what was done to what, by whom, and how it came out. Safe for any reader.
public struct AuditEvent: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case mint
        /// A mint in place of a token that an app or an operator did not want any more.
        case forcedMint = "forced_mint"
        /// Somebody was turned away.
        case denial
        /// Somebody was served whom a gate would have turned away, if it did more than monitor.
        case monitored
        /// A step in the life of a long-lived secret.
        case secret
        case reload
        /// A device came to be known at a route's gate.
        case device
        /// What an operator did over the admin socket.
        case operation = "operator"
        /// Events that could not be written.
        case gap
    }

    /// Who did it, as the kernel says.
    public struct Actor: Hashable, Sendable {
        public let uid: UInt32
        public let pid: Int32
        /// The system unit that the process runs in, where that is known.
        public let unit: String?

        public init(uid: UInt32, pid: Int32, unit: String? = nil) {
            self.uid = uid
            self.pid = pid
            self.unit = unit
        }
    }

    public let kind: Kind
    /// What was done, in a word or two: `promote`, `token drop`, `policy set`.
    public let action: String
    /// The name of the token, secret, route or device it was done to; nil where it is about the whole broker.
    public let subject: String?
    /// `ok`, or the code of the failure.
    public let outcome: String
    /// What else an operator wants to know, in one sentence.
    public let detail: String?
    /// Nil for what the broker did by itself.
    public let actor: Actor?
    /// How many times it happened: more than once where many alike are written down together.
    public let count: Int

    public init(
        _ kind: Kind,
        _ action: String,
        of subject: String? = nil,
        outcome: String = "ok",
        detail: String? = nil,
        by actor: Actor? = nil,
        count: Int = 1
    ) {
        self.kind = kind
        self.action = action
        self.subject = subject
        self.outcome = outcome
        self.detail = detail
        self.actor = actor
        self.count = count
    }
}
