internal import JSON
internal import TokenBroker
internal import Upstream

// What the successes of token endpoints have in common.

extension ProviderAnswer {
    /// The document of a success.
    ///
    /// - Parameter refusal: what a refusal in the provider's own envelope means; nil where the status alone tells.
    /// - Throws: what any other answer means.
    func success(refusal: (ProviderAnswer) -> MintFailure?) throws(MintFailure) -> JSONObject {
        guard (200..<300).contains(response.status) else {
            throw (hasErrorEnvelope ? refusal(self) : nil) ?? plainRefusal
        }
        guard let document else { throw unreadable("the body is not a JSON object") }
        return document
    }

    /// The token in `document`.
    func token(_ member: String, in document: JSONObject) throws(MintFailure) -> TokenText {
        guard let text = document[member]?.string.flatMap({ TokenText($0) }) else {
            throw unreadable("\(member) is missing or not one")
        }
        return text
    }

    /// Refuses a token of another type than bearer; a missing type is taken for that.
    func requireBearer(in document: JSONObject) throws(MintFailure) {
        guard let value = document["token_type"], value != .null else { return }
        guard value.string?.lowercased() == "bearer" else { throw unreadable("token_type is not Bearer") }
    }

    /// Unix seconds, as a number or as text. Null is as good as missing, and neither means that the token never ends.
    func expiry(unixSeconds member: String, in document: JSONObject) throws(MintFailure) -> StatedExpiry {
        guard let literal = try literal(member, in: document) else { return .unstated }
        guard let instant = WallInstant(unixSeconds: literal) else {
            throw unreadable("\(member) is not a number of seconds")
        }
        return .at(instant)
    }

    /// Seconds from now, on the same terms (RFC 6749 §5.1).
    func expiry(secondsFromNow member: String, in document: JSONObject) throws(MintFailure) -> StatedExpiry {
        guard let literal = try literal(member, in: document) else { return .unstated }
        guard let lifetime = Duration(seconds: literal) else {
            throw unreadable("\(member) is not a number of seconds")
        }
        return .after(lifetime)
    }

    /// A date as RFC 3339 writes it, on the same terms.
    func expiry(date member: String, in document: JSONObject) throws(MintFailure) -> StatedExpiry {
        guard let value = document[member], value != .null else { return .unstated }
        guard let instant = value.string.flatMap({ WallInstant(rfc3339: $0) }) else {
            throw unreadable("\(member) is not a date")
        }
        return .at(instant)
    }

    /// A mint of this answer.
    func mint(_ text: TokenText, _ expiry: StatedExpiry) -> Mint {
        Mint(
            text: text,
            expiry: expiry,
            requestedAt: response.requestedAt,
            providerDate: response.date,
            clockSkew: response.clockSkew
        )
    }

    private func literal(_ member: String, in document: JSONObject) throws(MintFailure) -> String? {
        guard let value = document[member], value != .null else { return nil }
        guard let literal = value.number?.literal ?? value.string else {
            throw unreadable("\(member) is not a number of seconds")
        }
        return literal
    }
}
