/// The rounds in which a service asks each of its parts for a sign of life. Only a round in which all of them answered
/// is a reason to ping the watchdog.
///
/// There is no deadline here: a part that does not answer keeps its round open, no ping is sent, and the service manager
/// does what it was told to do then.
public struct SelfProbe<Part: Hashable & Sendable>: Sendable {
    private enum Standing {
        case asked
        /// It could not even be asked.
        case failed
    }

    private let parts: [Part]
    private var outstanding: [Part: Standing] = [:]

    /// - Parameter parts: at least one.
    public init(_ parts: [Part]) {
        precondition(!parts.isEmpty, "a probe of nothing proves nothing")
        self.parts = parts
    }

    /// Who has not answered in the round under way, in the order of the parts; nobody between two rounds.
    public var missing: [Part] { parts.filter { outstanding[$0] != nil } }

    /// It is time to ask.
    ///
    /// - Returns: whom: everybody where a round begins; in one that is under way, those who could not be asked before.
    public mutating func ask() -> [Part] {
        let asked = outstanding.isEmpty ? parts : parts.filter { outstanding[$0] == .failed }
        for part in asked { outstanding[part] = .asked }
        return asked
    }

    /// - Returns: whether that was the last answer of the round.
    public mutating func answered(_ part: Part) -> Bool {
        outstanding.removeValue(forKey: part) != nil && outstanding.isEmpty
    }

    /// The part could not be asked; that says nothing about it yet.
    public mutating func failed(_ part: Part) {
        if outstanding[part] != nil { outstanding[part] = .failed }
    }
}
