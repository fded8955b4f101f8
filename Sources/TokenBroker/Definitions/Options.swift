/// An option that a kind of provider reads from the configuration.
public struct OptionDeclaration: Sendable {
    public enum ValueType: Sendable {
        case text
        /// Visible ASCII that an HTTP header can carry.
        case headerValue
        /// The name of an HTTP header.
        case headerName
        /// Several texts without spaces; the value joins them with one space each.
        case words
        /// A span of whole seconds in this range; the value is the number of seconds.
        case duration(ClosedRange<Duration>)
        /// The name of a secret.
        case secret
        /// The name of a secret that can be spent once, and so by one account.
        case singleUseSecret
        /// The name of the secret for the provider's own key API: it mints nothing.
        case managementSecret
        /// 36 characters, `8-4-4-4-12` hexadecimal digits.
        case uuid
        case choice([String])
    }

    public let name: String
    public let type: ValueType
    public let isRequired: Bool

    public init(_ name: String, _ type: ValueType, isRequired: Bool = false) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
    }
}

/// The checked values of a kind's own options, by name. Only declared options are ever in it.
public struct Options: Hashable, Sendable {
    private let texts: [String: String]

    public init(_ texts: [String: String] = [:]) {
        self.texts = texts
    }

    /// All of them, in the order of their names.
    var text: String {
        texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    }

    /// The value of `name`, or nil where the configuration leaves it out.
    public subscript(name: String) -> String? { texts[name] }

    /// These without `name`.
    public func without(_ name: String) -> Options {
        Options(texts.filter { $0.key != name })
    }
}

extension OptionDeclaration {
    /// For kinds with a ``KeyIssuer``.
    public static let management = OptionDeclaration("management", .managementSecret)
}
