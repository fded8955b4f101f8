/// What a cached token is found by: its name, and for whom it was minted.
///
/// The account at the provider and the options of the request belong to the name's definition; a reload that changes
/// them withdraws what the old ones minted.
public struct TokenKey: Hashable, Comparable, Sendable {
    public let name: Name
    /// nil for a token that all callers share.
    public let subject: Subject?

    public init(_ name: Name, _ subject: Subject? = nil) {
        self.name = name
        self.subject = subject
    }

    public static func < (lhs: TokenKey, rhs: TokenKey) -> Bool {
        guard lhs.name == rhs.name else { return lhs.name < rhs.name }
        return (lhs.subject?.sortingText ?? "") < (rhs.subject?.sortingText ?? "")
    }
}

/// The end user that a token is for, with what else of the user changes the token.
public struct Subject: Hashable, Sendable {
    /// The app's own, stable id of the user.
    public let id: String
    /// A tag that selects the user's limits at the provider; another plan is another token.
    public let plan: String?

    public init(id: String, plan: String? = nil) {
        self.id = id
        self.plan = plan
    }

    fileprivate var sortingText: String { "\(id)\u{0}\(plan ?? "")" }
}
