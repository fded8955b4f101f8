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

    /// The state as status and logs name it: `unopened`, `serving`, or why it fails, such as `wrong_key`.
    public var stateText: String {
        switch state {
        case .unopened: "unopened"
        case .serving: "serving"
        case .failing(let code): code.rawValue
        }
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
