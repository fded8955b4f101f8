/// The scope of a token (RFC 6749 section 3.3), as the provider granted it.
///
/// A reference, for most tokens have none: a hundred thousand of them take one word each for it.
public final class GrantedScope: Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}
