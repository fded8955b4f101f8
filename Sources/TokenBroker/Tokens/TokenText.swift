/// The text of an access token or a key that goes into a header: 1 to 16 KiB of bytes 0x21–0x7E.
///
/// Checked before it enters the cache, so that nothing a provider answers can break a header or a line.
public struct TokenText: Equatable, Sendable, CustomStringConvertible {
    public static let maximumLength = 16 * 1024

    private let secret: Secret

    /// - Returns: nil when `text` is empty, too long, or has a byte that no header value may carry.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        secret = Secret(bytes)
    }

    /// - Returns: nil on the same terms.
    public init?(_ secret: Secret) {
        let isValid = secret.withBytes { bytes in
            (1...Self.maximumLength).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard isValid else { return nil }
        self.secret = secret
    }

    var count: Int { secret.count }

    /// The bytes as they are kept.
    var bytes: Secret { secret }

    /// A copy of the text, for the one answer or header whose purpose it is.
    public var revealed: String {
        secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Never the text itself.
    public var description: String { secret.description }
}
