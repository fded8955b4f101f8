internal import JSON

/// JSON web tokens (RFC 7519) whose signatures nobody checks: a service that is simulated knows its tokens by their
/// text, and believes those of others.
enum JSONWebToken {
    static func text(
        _ claims: JSONObject,
        header: JSONValue = ["alg": "HS256", "typ": "JWT"],
        signatureBytes: Int = 32
    ) -> String {
        let signature = (0..<signatureBytes).map { _ in UInt8.random(in: .min ... .max) }
        return [header.serialized(), JSONValue.object(claims).serialized(), signature]
            .map(Base64.urlEncoded)
            .joined(separator: ".")
    }

    /// The claims; nil where the text is not three parts of which the first two are JSON objects.
    static func claims(of text: String) -> JSONObject? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, object(parts[0]) != nil else { return nil }
        return object(parts[1])
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Base64.urlDecoded(String(part)).flatMap { try? JSONValue(parsing: $0) }?.object
    }
}
