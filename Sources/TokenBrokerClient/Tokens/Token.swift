/// An access token as the broker gave it.
///
/// It prints without its text. To report that its provider refused it, hand it to
/// ``TokenBrokerClient/rejected(_:providerCode:)``.
public struct Token: Sendable {
    /// The name that it was asked for by.
    public var name: String { subject.name }
    /// The text to send to the provider. Keep it out of logs.
    public let accessToken: String
    /// How it is sent, such as `Bearer`.
    public let tokenType: String
    /// When it ends; nil for a credential without an end.
    public let expiresAt: UnixTime?
    /// When the client asks the broker again; nil for a credential without an end.
    public let refreshAt: UnixTime?
    /// Grows with every new token of a name and is never used twice, whatever happens to the broker.
    public let generation: Int64
    /// Whether the broker's last attempt to refresh it failed. It is valid nonetheless.
    public let isDegraded: Bool

    /// What it was asked for, to ask for another one.
    let subject: TokenSubject
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Safe to log: the token's text is not in it.
    public var description: String {
        "Token(name: \(name), generation: \(generation), accessToken: <redacted>)"
    }

    public var debugDescription: String { description }

    /// For `dump`, which would look inside.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "generation": generation, "accessToken": "<redacted>"])
    }
}
