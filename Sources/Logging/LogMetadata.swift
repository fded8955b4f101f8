/// The facts of one record, in the order they were written.
///
///     var facts: LogMetadata = [.token: .string(name), .outcome: "minted"]
///     facts[.retryAfter] = .duration(delay)
public struct LogMetadata: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One fact.
    public struct Field: Sendable, Equatable {
        public let key: LogKey
        public let value: LogValue
    }

    /// The facts; no key occurs twice.
    public private(set) var fields: [Field] = []

    /// A repeated key keeps its first place and its last value.
    public init(dictionaryLiteral elements: (LogKey, LogValue)...) {
        fields.reserveCapacity(elements.count)
        for (key, value) in elements { self[key] = value }
    }

    /// The value under a key; setting `nil` takes the fact away.
    public subscript(key: LogKey) -> LogValue? {
        get { fields.first { $0.key == key }?.value }
        set {
            let index = fields.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): fields[index] = Field(key: key, value: value)
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The same facts with another text for each string.
    func mapStrings(_ transform: (String) -> String) -> LogMetadata {
        var copy = self
        copy.fields = fields.map { field in
            guard case .string(let text) = field.value else { return field }
            return Field(key: field.key, value: .string(transform(text)))
        }
        return copy
    }
}
