internal import HTTPWire
internal import JSON
internal import TokenBroker

/// What an app says when its provider refused a token: the body of `POST …/rejected`.
struct RejectionRequest {
    /// The code of a provider that wants the device attested anew: the token is not at fault.
    private static let attestationRequired = "app_attest_required"

    private(set) var claim = UserClaim()
    /// nil for a text that no token of the broker can have.
    private let text: TokenText?
    private let providerCode: String?

    init(_ request: HTTPRequest) throws(InvalidRequest) {
        guard request.query == nil else { throw InvalidRequest("this path takes its parameters in the body") }
        try self.init(route: request)
    }

    /// The same where the query is the proxy's business.
    init(route request: HTTPRequest) throws(InvalidRequest) {
        let body = try JSONObject(requestBody: request.body)
        for member in body.members where member.name != "access_token" && member.name != "provider_code" {
            guard try claim.take(member) else {
                throw .unknownParameter("access_token, provider_code, end_user and issuer_token")
            }
        }
        guard let text = body["access_token"]?.string, !text.isEmpty else {
            throw InvalidRequest("access_token is the text of the token that was refused")
        }
        let code = body["provider_code"]
        guard code == nil || code?.string != nil else { throw InvalidRequest("provider_code is a text") }
        self.text = TokenText(text)
        providerCode = code?.string
    }

    /// What the caller wants: another token, where another one would help.
    var wish: CredentialCall.Wish {
        guard let text, providerCode != Self.attestationRequired else { return .atLeast(.zero) }
        return .another(than: text, providerCode: providerCode)
    }
}
