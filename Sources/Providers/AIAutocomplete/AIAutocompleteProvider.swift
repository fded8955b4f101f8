internal import JSON
internal import TokenBroker
internal import Upstream

/// AI Autocomplete (MagicX): `POST /api/auth/token` with the secret key mints an access token for one product.
///
/// Minting again gives one more token and takes nothing away, so that a request may be sent twice.
///
/// Source: https://ai-autocomplete.com/docs/http/authentication
struct AIAutocompleteProvider: Provider {
    static let kind = ProviderKind(
        name: "ai-autocomplete",
        address: .publicService("https://api.ai-autocomplete.com"),
        tokenOptions: [OptionDeclaration(productID, .uuid, isRequired: true)],
        secretPrefix: "sk_v1_",
        wrongSecretPrefixes: ["pk_v1_", "at_v1_"]
    )

    private static let productID = "product_id"

    private let sender: any HTTPSender

    init(sender: any HTTPSender) {
        self.sender = sender
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        guard let product = request.token.options[Self.productID] else {
            throw MintFailure(.requestRejected, detail: "token \(request.token.name) has no \(Self.productID)")
        }
        let answer = try await send(product: product, secret: request.secret)
        return try AIAutocompleteAnswer(answer).mint()
    }

    func verify(_ request: MintRequest) async throws(MintFailure) -> Mint? {
        do throws(MintFailure) {
            return try await mint(request)
        } catch {
            throw error.asVerdict(keyCodes: [AIAutocompleteAnswer.invalidSecretKey])
        }
    }

    private func send(product: String, secret: Secret) async throws(MintFailure) -> ProviderAnswer {
        let body: JSONValue = [Self.productID: .string(product)]
        let request = UpstreamRequest(
            .post,
            path: "/api/auth/token",
            headers: [
                .init("Authorization", .bearer(secret)),
                .init("Content-Type", "application/json"),
                .init("Accept", "application/json"),
            ],
            body: body.serialized(),
            isReplayable: true
        )
        do throws(UpstreamFailure) {
            return ProviderAnswer(try await sender.send(request), secrets: [secret])
        } catch {
            throw MintFailure(error)
        }
    }
}
