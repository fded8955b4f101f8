/// The user whom a token is for, where its tokens are per user.
public struct EndUser: Sendable, Hashable {
    /// Stable, and the app's own.
    public var id: String
    /// The plan whose limits hold for the user, where the provider knows plans.
    public var plan: String?
    /// What the provider stores about the user with the first token; at most 4 KB as JSON.
    public var attributes: [String: Attribute]

    public init(id: String, plan: String? = nil, attributes: [String: Attribute] = [:]) {
        self.id = id
        self.plan = plan
        self.attributes = attributes
    }

    /// One of a user's attributes. Literals are attributes: `["team": "red", "seats": 3]`.
    public enum Attribute: Sendable, Hashable {
        case string(String)
        case integer(Int64)
        case bool(Bool)
        case array([Attribute])
        case object([String: Attribute])
    }
}

extension EndUser.Attribute: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    public init(arrayLiteral elements: EndUser.Attribute...) {
        self = .array(elements)
    }

    /// Of a name that is written twice the last value counts.
    public init(dictionaryLiteral elements: (String, EndUser.Attribute)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
