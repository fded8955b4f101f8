internal import HTTPWire
internal import JSON

extension OAuth2 {
    /// `POST /token`: client credentials in, access token out.
    func mint(_ request: ProviderRequest) throws(OAuth2Refusal) -> HTTPResponse {
        let parameters = try FormParameters(request.http)
        let authentication = try ClientAuthentication(request.http, parameters)
        guard let client = clients[authentication.id], client.secret == authentication.secret else {
            throw .invalidClient
        }
        let grant = try grant(to: client, parameters)
        let token = token(for: grant, request)
        mintsByMethod[authentication.method, default: 0] += 1
        var body: JSONObject = ["access_token": .string(token.text), "token_type": "Bearer"]
        body["expires_in"] = (request.behaviour.expiresAtForm ?? .seconds).relativeJSON(
            unixMilliseconds: token.expiresAtMilliseconds,
            now: request.nowMilliseconds
        )
        if !grant.scope.isEmpty { body["scope"] = .string(grant.scope.joined(separator: " ")) }
        // Both are asked for by RFC 6749 section 5.1.
        return .json(200, .object(body), headers: [.noStore, HeaderField(constant: "Pragma", "no-cache")])
    }

    private func grant(to client: OAuth2Client, _ parameters: FormParameters) throws(OAuth2Refusal) -> Grant {
        guard let type = parameters["grant_type"] else { throw .invalidRequest }
        guard type == "client_credentials" else { throw .unsupportedGrantType }
        guard client.isAllowed else { throw .unauthorizedClient }
        guard parameters.resources.allSatisfy(\.isResourceIndicator) else { throw .invalidTarget }
        return Grant(
            client: client.id,
            scope: try client.granted(parameters["scope"]),
            audience: parameters["audience"],
            resources: parameters.resources
        )
    }

    private func token(for grant: Grant, _ request: ProviderRequest) -> MintedTokens<Grant>.Token {
        if request.behaviour.sameToken == true, let token = tokens.latest(for: grant) { return token }
        let lifetime = request.behaviour.lifetimeSeconds ?? Self.defaultLifetimeSeconds
        return tokens.mint(
            RandomText.hexadecimal(bytes: 32),
            for: grant,
            expiresAtMilliseconds: request.nowMilliseconds / 1000 * 1000 + lifetime * 1000
        )
    }
}

extension String {
    /// Whether the text has the form of an absolute URI without a fragment.
    fileprivate var isResourceIndicator: Bool {
        wholeMatch(of: #/[A-Za-z][A-Za-z0-9+.\-]*:[\x21\x22\x24-\x7E]+/#) != nil
    }
}
