internal import TokenBroker
internal import Upstream

/// AI Autocomplete (MagicX): `POST /api/auth/token` with the secret key mints an access token for one product.
///
/// Source: https://ai-autocomplete.com/docs/http/authentication
struct AIAutocompleteProvider: Provider {
    static let kind = ProviderKind(
        name: "ai-autocomplete",
        defaultBaseURL: "https://api.ai-autocomplete.com",
        tokenOptions: [OptionDeclaration("product_id", .uuid, isRequired: true)],
        secretPrefix: "sk_v1_",
        wrongSecretPrefixes: ["pk_v1_", "at_v1_"]
    )

    private let definition: ProviderDefinition
    private let sender: any HTTPSender

    init(definition: ProviderDefinition, sender: any HTTPSender) {
        self.definition = definition
        self.sender = sender
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        fatalError()
    }
}
