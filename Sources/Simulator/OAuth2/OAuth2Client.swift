/// A client that is registered.
struct OAuth2Client: Equatable {
    let id: String
    var secret: String
    /// The scopes it may ask for, which it gets where it names none; any, where there is none.
    var scopes: [String] = []
    /// Whether it may use the client credentials grant.
    var isAllowed = true

    /// The scope to grant.
    ///
    /// - Parameter requested: The parameter's text, of scope tokens with single spaces between them (RFC 6749 section 3.3).
    func granted(_ requested: String?) throws(OAuth2Refusal) -> [String] {
        guard let requested else { return scopes }
        let tokens = requested.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let isWellFormed = tokens.allSatisfy { $0.wholeMatch(of: #/[\x21\x23-\x5B\x5D-\x7E]+/#) != nil }
        guard isWellFormed, scopes.isEmpty || tokens.allSatisfy(scopes.contains) else { throw .invalidScope }
        return tokens
    }
}
