internal import HTTPWire
internal import JSON
internal import TokenBroker

/// What an app says when its provider refused a token: the body of `POST /v1/tokens/NAME/rejected`.
struct RejectionRequest {
    /// The code of a provider that wants the device attested anew: the token is not at fault.
    static let attestationRequired = "app_attest_required"

    /// nil for a text that no token of the broker can have.
    let text: TokenText?
    /// Whether another token would help.
    let isAboutToken: Bool

    init(_ request: HTTPRequest) throws(InvalidRequest) {
        guard request.query == nil else { throw InvalidRequest("this path takes its parameters in the body") }
        let body = try JSONObject(requestBody: request.body)
        for member in body.members where member.name != "access_token" && member.name != "provider_code" {
            throw TokenRequest.unknownMember(member.name)
        }
        guard let text = body["access_token"]?.string, !text.isEmpty else {
            throw InvalidRequest("access_token is the text of the token that was refused")
        }
        let code = body["provider_code"]
        guard code == nil || code?.string != nil else { throw InvalidRequest("provider_code is a text") }
        self.text = TokenText(text)
        isAboutToken = code?.string != Self.attestationRequired
    }
}
