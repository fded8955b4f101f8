internal import HTTPWire
internal import JSON

/// The headers that one request to a provider needs, signature included.
///
/// It prints without their values.
public struct RequestAuthorization: Sendable {
    /// Names and values. Send all of them, and keep them out of logs.
    public let headers: [String: String]
    /// When they stop working; nil where nothing in them ends.
    public let expiresAt: UnixTime?

    init(_ response: HTTPClientResponse) throws(TokenBrokerError) {
        guard response.status == 200 else { throw TokenBrokerError(response) }
        guard let document = try? JSONValue(parsing: response.body),
            let members = document["headers"]?.object?.members
        else { throw .unreadable("its authorization has no headers") }
        var headers: [String: String] = [:]
        for member in members {
            guard let value = member.value.string else { throw .unreadable("a header that is no text") }
            headers[member.name] = value
        }
        self.headers = headers
        expiresAt = document["expires_at"]?.number?.int64.flatMap(UnixTime.init(seconds:))
    }
}

extension RequestAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Safe to log: the names of the headers alone.
    public var description: String {
        "RequestAuthorization(headers: \(headers.keys.sorted().joined(separator: ", ")), values: <redacted>)"
    }

    public var debugDescription: String { description }

    /// For `dump`, which would look inside.
    public var customMirror: Mirror {
        Mirror(self, children: ["headers": headers.keys.sorted(), "values": "<redacted>"])
    }
}
