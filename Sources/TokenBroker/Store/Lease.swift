/// The sole right to do something for a key, such as to mint its token, until a time.
public struct Lease: Hashable, Sendable {
    public let key: String
    /// Who holds it.
    public let holder: String
    /// Grows with every taking of any lease: tells a holder that came back late from the one that took over.
    public let term: Int64

    public init(key: String, holder: String, term: Int64) {
        self.key = key
        self.holder = holder
        self.term = term
    }
}
