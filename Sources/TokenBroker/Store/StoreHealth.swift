/// How the store is doing, for status and metrics; safe for any reader.
///
/// A broker whose store fails goes on serving from memory. The store tries again by itself.
public struct StoreHealth: Equatable, Sendable {
    public enum State: Equatable, Sendable {
        /// Nothing was asked of it yet.
        case unopened
        case serving
        case failing(StoreError.Code)
    }

    public var state: State
    /// Since when by the calendar clock.
    public var since: WallInstant
    /// What is wrong; nil while nothing is.
    public var detail: String?
    /// Where the last damaged store was put aside, for an operator to look at; nil where none was.
    public var setAsidePath: String?
    /// Rows found in the store that do not decrypt under the right key: changed, moved or damaged.
    public var unreadableRows: Int

    public init(
        state: State,
        since: WallInstant,
        detail: String? = nil,
        setAsidePath: String? = nil,
        unreadableRows: Int = 0
    ) {
        self.state = state
        self.since = since
        self.detail = detail
        self.setAsidePath = setAsidePath
        self.unreadableRows = unreadableRows
    }
}
