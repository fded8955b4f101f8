/// A JSON document (RFC 8259) as it was written: numbers keep their digits, members keep their order.
///
/// It is the one type in which the product reads what providers and clients say. A general decoder will not do:
/// a lifetime of `1e400` or `9223372036854775808` in a field nobody needs must not cost the whole answer, and of two
/// members of one name none can be trusted.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The deepest nesting of arrays and objects that is read: far above any provider's answer, and small enough that
    /// the reader's recursion cannot use up a thread's stack.
    public static let defaultMaximumDepth = 32

    /// Reads one document: strict UTF-8, one byte order mark tolerated, nothing after the value but white space.
    ///
    /// - Parameters:
    ///   - bytes: the whole document.
    ///   - maximumDepth: how many arrays and objects may be open at once; a scalar alone needs none.
    /// - Throws: ``JSONError`` with the offset of the first byte that is wrong.
    public init(
        parsing bytes: some Collection<UInt8>,
        maximumDepth: Int = defaultMaximumDepth
    ) throws(JSONError) {
        var reader = JSONReader(bytes: Array(bytes), maximumDepth: maximumDepth)
        self = try reader.readDocument()
    }
}

extension JSONValue {
    /// The text, where the value is a string.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number, where the value is one; a string of digits is not.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The truth value, where the value is `true` or `false`.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, where the value is an array.
    public var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members, where the value is an object.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member of that name; nil too where the value is not an object.
    public subscript(name: String) -> JSONValue? {
        object?[name]
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }

    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    public init(nilLiteral: ()) {
        self = .null
    }

    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Members in the order written; a name written twice is a programmer's error and traps.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(uniqueMembers: elements.map { JSONObject.Member(name: $0, value: $1) }))
    }
}
