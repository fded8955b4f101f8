internal import JSON

/// The text of an access token: a JSON web token, with the claims that Palbase's have.
enum SessionToken {
    /// As many as an RSA key of 2048 bits signs with.
    private static let signatureBytes = 256

    /// The signature is random: the project's public keys are not served, so that nobody can tell.
    static func text(
        for session: RefreshTokens.Session,
        issuedAtSeconds: Int64,
        expiresAtSeconds: Int64
    ) -> String {
        let head: JSONValue = ["alg": "PS256", "kid": "simulator", "typ": "JWT"]
        let claims: JSONValue = [
            "sub": .string(session.subject),
            "iss": .string("https://\(session.project).palbase.studio"),
            "exp": .number(JSONNumber(expiresAtSeconds)),
            "iat": .number(JSONNumber(issuedAtSeconds)),
            "jti": .string(RandomText.hexadecimal(bytes: 16)),
            "auth_time": .number(JSONNumber(issuedAtSeconds)),
            "project_id": .string(session.project),
            "session_id": .string(session.id),
            "acr": "aal1",
            "amr": ["pwd"],
        ]
        let signature = (0..<signatureBytes).map { _ in UInt8.random(in: .min ... .max) }
        return [head.serialized(), claims.serialized(), signature].map(Base64.urlEncoded).joined(separator: ".")
    }
}
