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
        guard let left = lhs.subject, let right = rhs.subject else { return lhs.subject == nil && rhs.subject != nil }
        return left < right
    }
}

/// The end user that a token is for, by all that sets that user's tokens apart.
public enum Subject: Hashable, Comparable, Sendable {
    /// The app's own, stable id of the user, and a tag that selects the user's limits at the provider: another plan is
    /// another token.
    case endUser(id: String, plan: String?)
    /// The SHA-256 of the user's whole issuer token, in hexadecimal: what the token claims nobody has verified.
    case issuerToken(digest: String)

    public init(id: String, plan: String? = nil) {
        self = .endUser(id: id, plan: plan)
    }

    /// By their bytes: to Swift two texts are equal that only look alike, such as a K and the Kelvin sign, and one user
    /// would get the other's token.
    public static func == (lhs: Subject, rhs: Subject) -> Bool {
        switch (lhs, rhs) {
        case (.endUser(let left, let leftPlan), .endUser(let right, let rightPlan)):
            left.hasSameBytes(as: right) && (leftPlan ?? "").hasSameBytes(as: rightPlan ?? "")
                && (leftPlan == nil) == (rightPlan == nil)
        case (.issuerToken(let left), .issuerToken(let right)): left.hasSameBytes(as: right)
        case (.endUser, .issuerToken), (.issuerToken, .endUser): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .endUser(var id, let plan):
            id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            guard var plan else { return }
            plan.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .issuerToken(var digest):
            digest.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    public static func < (lhs: Subject, rhs: Subject) -> Bool {
        lhs.storedText.utf8.lexicographicallyPrecedes(rhs.storedText.utf8)
    }

    /// As the store keeps it.
    var storedText: String {
        switch self {
        case .endUser(let id, let plan): "\(id)\u{0}\(plan ?? "")"
        case .issuerToken(let digest): "\u{0}\u{0}\(digest)"
        }
    }

    /// - Returns: nil for a text that this version did not write.
    init?(storedText text: String) {
        guard let separator = text.utf8.firstIndex(of: 0) else { return nil }
        let rest = text[text.utf8.index(after: separator)...]
        guard let second = rest.utf8.firstIndex(of: 0) else {
            self = .endUser(id: String(text[..<separator]), plan: rest.isEmpty ? nil : String(rest))
            return
        }
        let digest = rest[rest.utf8.index(after: second)...]
        guard separator == text.startIndex, second == rest.startIndex, !digest.utf8.contains(0) else { return nil }
        self = .issuerToken(digest: String(digest))
    }
}
