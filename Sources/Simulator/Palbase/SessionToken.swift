internal import JSON

/// The text of an access token: a JSON web token, with the claims that Palbase's have.
enum SessionToken {
    /// As many as an RSA key of 2048 bits signs with.
    private static let signatureBytes = 256

    static func text(
        for session: RefreshTokens.Session,
        issuedAtSeconds: Int64,
        expiresAtSeconds: Int64
    ) -> String {
        let claims: JSONObject = [
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
        let header: JSONValue = ["alg": "PS256", "kid": "simulator", "typ": "JWT"]
        return JSONWebToken.text(claims, header: header, signatureBytes: signatureBytes)
    }
}
