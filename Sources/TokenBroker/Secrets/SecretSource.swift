/// The port through which the domain gets the present value of a long-lived key.
public protocol SecretSource: Sendable {
    /// Reads the value as it is now.
    ///
    /// - Throws: ``SecretProblem`` when there is none, or one that must not be used.
    func read(_ secret: SecretDefinition) throws(SecretProblem) -> Secret

    /// Whether a value that came in another way is one that its providers can take at all.
    func judge(_ value: Secret, for secret: SecretDefinition) throws(SecretProblem)
}

extension SecretSource {
    public func judge(_ value: Secret, for secret: SecretDefinition) throws(SecretProblem) {}
}

/// Why a secret cannot be used; the text is safe for any reader and says what to do.
public struct SecretProblem: Error, Equatable, CustomStringConvertible {
    public enum Code: Sendable {
        /// There is no such file or credential.
        case missing
        /// Others could read or change it.
        case exposed
        /// The value is empty or has a byte that no key has.
        case malformed
        /// It is there, and reading it failed.
        case unreadable
    }

    public let code: Code
    public let description: String
    /// The command that mends it, to be copied into a shell; nil where the value has to be another.
    public let remedy: String?

    public init(_ code: Code, _ description: String, remedy: String? = nil) {
        self.code = code
        self.description = description
        self.remedy = remedy
    }

    public static func == (lhs: SecretProblem, rhs: SecretProblem) -> Bool {
        lhs.code == rhs.code
    }
}
