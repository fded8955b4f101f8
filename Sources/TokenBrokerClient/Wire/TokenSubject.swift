/// What a token is asked for: its name, and the user where its tokens are per user.
struct TokenSubject: Sendable {
    let name: String
    let endUser: EndUser?
    let issuerToken: IssuerTokenSource?

    /// - Throws: where the name is none. A name becomes part of a path, so nothing else may get there.
    init(_ name: String, _ endUser: EndUser?, _ issuerToken: IssuerTokenSource?) throws(TokenBrokerError) {
        guard Self.isName(name) else {
            throw TokenBrokerError(
                .invalidRequest,
                "a token's name has 1 to 63 of a-z, 0-9, '.', '_' and '-', and begins with a letter or a digit"
            )
        }
        self.name = name
        self.endUser = endUser
        self.issuerToken = issuerToken
    }

    func key(issuerToken text: String?) -> TokenKey {
        TokenKey(name: name, endUserID: endUser?.id, plan: endUser?.plan, issuerToken: text)
    }

    private static func isName(_ text: String) -> Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard (1...63).contains(text.utf8.count), let first = text.utf8.first, isAlphanumeric(first) else {
            return false
        }
        return text.utf8.allSatisfy { isAlphanumeric($0) || ".-_".utf8.contains($0) }
    }
}

/// What makes two requests ask for the same token; the broker tells them apart by the same parts.
///
/// The issuer token's text is in it: it alone may say who the user is, and no user shall get another's token. A user's
/// attributes are not, for they do not change what is minted.
struct TokenKey: Hashable, Sendable {
    let name: String
    let endUserID: String?
    let plan: String?
    let issuerToken: String?
}
