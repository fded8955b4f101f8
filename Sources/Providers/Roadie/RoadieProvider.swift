internal import JSON
internal import TokenBroker
internal import Upstream

/// Roadie (paroaria): `POST /v1/client-tokens` with the secret key mints a client token for one end user.
///
/// Asking again mints one more token, and no key makes two requests one: a request is never sent twice by itself.
///
/// Source: the roadie-sdk Python package, `resources/client_tokens.py` and `resources/models.py`.
struct RoadieProvider: Provider {
    /// What `end_user:` says where each request names its own.
    private static let perRequest = "per-request"
    private static let endUser = "end_user"

    static let kind = ProviderKind(
        name: "roadie",
        address: .publicService("https://gateway.roadie.paroaria.ai"),
        tokenOptions: [
            OptionDeclaration(endUser, .text, isRequired: true),
            OptionDeclaration("plan", .text),
            OptionDeclaration("scopes", .words),
            // The gateway gives no longer ones than an hour.
            OptionDeclaration("ttl", .duration(.seconds(1) ... .seconds(3600))),
        ],
        secretPrefix: "rd_sk_",
        wrongSecretPrefixes: ["rd_pk_"],
        quotaCodes: ["insufficient_quota", "quota_error", "budget_error"],
        credential: { _, token in
            token[endUser] == perRequest ? CredentialForm(user: .endUser) : CredentialForm(fixedUser: token[endUser])
        }
    )

    private let sender: any HTTPSender

    init(sender: any HTTPSender) {
        self.sender = sender
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let user = try Self.user(of: request)
        let answer = try await send(mint(Self.body(for: user, request), request.secret), request.secret)
        return try RoadieAnswer(answer, isPerUser: request.subject != nil).mint(for: user.id)
    }

    /// By the list of models: a mint would need an end user, and its token would be of no use.
    func verify(_ request: MintRequest) async throws(MintFailure) -> Mint? {
        let answer = try await send(
            UpstreamRequest(
                .get,
                path: "/v1/models",
                headers: [.init("Authorization", .bearer(request.secret)), .init("Accept", "application/json")],
                isReplayable: true
            ),
            request.secret
        )
        try RoadieAnswer(answer, isPerUser: false).requireGoodKey()
        return nil
    }

    private static func user(of request: MintRequest) throws(MintFailure) -> (id: String, plan: String?) {
        let plan = request.token.options["plan"]
        if case .endUser(let id, let ownPlan)? = request.subject { return (id, ownPlan ?? plan) }
        guard let id = request.token.options[endUser] else {
            throw MintFailure(.requestRejected, detail: "token \(request.token.name) has no \(endUser)")
        }
        return (id, plan)
    }

    /// What is not known is left out: null is no value to the gateway.
    private static func body(for user: (id: String, plan: String?), _ request: MintRequest) -> JSONValue {
        var endUser: JSONObject = ["id": .string(user.id)]
        endUser["plan"] = user.plan.map(JSONValue.string)
        endUser["attributes"] = request.details?.attributes.flatMap { try? JSONValue(parsing: $0.utf8) }
        var body: JSONObject = ["end_user": .object(endUser)]
        body["ttl_seconds"] = request.token.options["ttl"].flatMap { JSONNumber(literal: $0) }.map(JSONValue.number)
        body["scopes"] = request.token.options["scopes"].map { scopes in
            .array(scopes.split(separator: " ").map { .string(String($0)) })
        }
        return .object(body)
    }

    private func mint(_ body: JSONValue, _ secret: Secret) -> UpstreamRequest {
        UpstreamRequest(
            .post,
            path: "/v1/client-tokens",
            headers: [
                .init("Authorization", .bearer(secret)),
                .init("Content-Type", "application/json"),
                .init("Accept", "application/json"),
            ],
            body: body.serialized(),
            isReplayable: false
        )
    }

    private func send(_ request: UpstreamRequest, _ secret: Secret) async throws(MintFailure) -> ProviderAnswer {
        do throws(UpstreamFailure) {
            return ProviderAnswer(try await sender.send(request), secrets: [secret])
        } catch {
            throw MintFailure(error)
        }
    }
}
