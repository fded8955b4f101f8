internal import HTTPWire
internal import JSON
internal import TokenBroker

/// A question for one token, and the token from its answer.
enum TokenRequest {
    static let options: [CommandOption] = [.endUser, .minimumLifetime]

    /// The longest that the broker takes as a `min_ttl`.
    private static let longestLifetime = 30 * 86400

    static func target(_ invocation: Invocation) throws(CommandFailure) -> String {
        let name = try invocation.tokenName()
        var query = QueryItems()
        if let text = invocation[.minimumLifetime] {
            guard let duration = DurationArgument(text), duration.seconds <= longestLifetime else {
                throw .usage("\(CommandOption.minimumLifetime.name) takes 0 to 30d, such as 90, 60s, 5m", of: text)
            }
            query.append("min_ttl", String(duration.seconds))
        }
        if let user = invocation[.endUser] { query.append("end_user", user) }
        return "/v1/tokens/\(name)" + (query.items.isEmpty ? "" : "?" + query.encoded)
    }

    /// The token's text, fit for a header and for the environment.
    static func accessToken(_ answer: JSONValue) throws(CommandFailure) -> String {
        guard let token = answer["access_token"]?.string.flatMap(TokenText.init) else {
            throw CommandFailure(.unavailable, ["the broker's answer holds no usable token"])
        }
        return token.revealed
    }
}
