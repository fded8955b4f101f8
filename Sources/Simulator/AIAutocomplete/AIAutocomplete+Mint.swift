internal import HTTPWire
internal import JSON

extension AIAutocomplete {
    /// `POST /api/auth/token`: secret key and product in, access token out.
    func mint(_ request: ProviderRequest) -> ProviderAnswer {
        guard let key = request.http.bearerCredential, key.hasPrefix("sk_v1_"), account.keys.contains(key) else {
            return failure(401, "INVALID_SECRET_KEY", "The secret key is invalid.")
        }
        guard request.http.isJSON else {
            return failure(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json.")
        }
        guard let product = (try? JSONValue(parsing: request.http.body))?["product_id"]?.string else {
            return failure(400, "INVALID_REQUEST", "product_id is missing.")
        }
        guard exists(product) else {
            let status = request.behaviour.unknownProductStatus.map(Int.init) ?? 404
            return failure(status, "PRODUCT_NOT_FOUND", "There is no such product.")
        }
        let token = token(for: key, product, request)
        var body: JSONObject = ["access_token": .string(token.text)]
        body["expires_at"] = (request.behaviour.expiresAtForm ?? .seconds).json(
            unixMilliseconds: token.expiresAtMilliseconds,
            now: request.nowMilliseconds
        )
        body["token_type"] = "Bearer"
        return ProviderAnswer(.minted, .json(200, .object(body)))
    }

    private func exists(_ product: String) -> Bool {
        let product = product.lowercased()
        return account.products.isEmpty ? product.isUUID : account.products.contains(product)
    }

    private func token(for key: String, _ product: String, _ request: ProviderRequest) -> MintedTokens<Purpose>.Token {
        let purpose = Purpose(secretKey: key, product: product)
        if request.behaviour.sameToken == true, let token = tokens.latest(for: purpose) { return token }
        let lifetime = request.behaviour.lifetimeSeconds ?? account.lifetimeSeconds
        // Whole seconds, as it is said: a token is dead from the very second it is said to end.
        let expiry = (request.nowMilliseconds / 1000 + lifetime) * 1000
        return tokens.mint(
            "at_v1_" + RandomText.hexadecimal(bytes: 24),
            for: purpose,
            expiresAtMilliseconds: expiry
        )
    }
}

extension String {
    var isUUID: Bool {
        wholeMatch(of: #/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/#) != nil
    }
}
