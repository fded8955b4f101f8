internal import Digests
internal import TokenBroker
internal import Upstream

/// A new-api relay that takes signed requests only: the key is the credential, and each request is signed with it.
///
/// Sources: https://github.com/QuantumNous/new-api, and the documents of NewAPIKit for the signature.
struct NewAPIProvider: Provider {
    private typealias Option = NewAPISigner.Option

    static let kind = ProviderKind(
        name: "new-api",
        address: .key("base_url"),
        providerOptions: [
            OptionDeclaration(Option.bundleID, .headerValue, isRequired: true),
            OptionDeclaration(Option.deviceID, .headerValue, isRequired: true),
            OptionDeclaration(Option.keyText, .choice(NewAPISigner.KeyText.allCases.map(\.rawValue))),
            OptionDeclaration(Option.timestamp, .choice(NewAPISigner.TimestampUnit.allCases.map(\.rawValue))),
            .management,
            OptionDeclaration(NewAPIManagement.Option.user, .headerValue),
        ],
        secretPrefix: NewAPISigner.keyPrefix,
        quotaCodes: NewAPIAnswer.quotaCodes,
        credential: { _, _ in CredentialForm(isSecret: true, signsBody: true) },
        fault: fault
    )

    private static func fault(_ options: Options) -> String? {
        guard let user = options[NewAPIManagement.Option.user] else { return nil }
        guard options[OptionDeclaration.management.name] != nil else {
            return "\(NewAPIManagement.Option.user): goes with \(OptionDeclaration.management.name) only"
        }
        guard !user.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return "\(NewAPIManagement.Option.user): expected the number of a user"
    }

    static let requestIDHeader = "X-Oneapi-Request-Id"

    private let signer: NewAPISigner
    private let sender: any HTTPSender
    private let clock: any HostClock
    let keyIssuer: (any KeyIssuer)?
    private let makeNonce: @Sendable () -> String

    /// - Parameter makeNonce: gives a UUID in capitals, another one each time.
    init(
        _ definition: ProviderDefinition,
        _ ports: ProviderPorts,
        makeNonce: @escaping @Sendable () -> String = {
            var random = SystemRandomNumberGenerator()
            return Nonce.uuid(using: &random)
        }
    ) {
        signer = NewAPISigner(definition.options)
        sender = ports.sender
        clock = ports.clock
        let user = definition.options[NewAPIManagement.Option.user] ?? NewAPIManagement.firstUser
        keyIssuer = NewAPIKeys(api: NewAPIManagement(sender: ports.sender, user: user))
        self.makeNonce = makeNonce
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let key = try request.secretAsCredential()
        guard request.isForced else { return Mint(text: key, expiry: .never, requestedAt: clock.now()) }
        let answer = try await listModels(key, request.secret)
        try NewAPIAnswer(answer).requireGoodKey()
        return answer.mint(key, .never)
    }

    func headers(
        for request: AppRequest,
        credential: TokenText,
        secret: Secret?
    ) throws(AuthorizationFault) -> [CredentialHeader] {
        guard let bodyDigest = request.bodyDigest else {
            throw AuthorizationFault("the provider signs the body, and its SHA-256 is not known")
        }
        return [.bearer(credential)]
            + signer.headers(key: credential, bodyDigest: bodyDigest, at: request.moment.wall, nonce: makeNonce())
    }

    /// Not to be sent twice: the relay may remember the nonce, and would call the repetition a wrong signature.
    private func listModels(_ key: TokenText, _ secret: Secret) async throws(MintFailure) -> ProviderAnswer {
        let signature = signer.headers(
            key: key,
            bodyDigest: SHA256.digest(of: []),
            at: clock.now().wall,
            nonce: makeNonce()
        )
        let request = UpstreamRequest(
            .get,
            path: "/v1/models",
            headers: [.init("Authorization", .bearer(secret)), .init("Accept", "application/json")]
                + signature.map { .init($0.name, $0.value) },
            isReplayable: false
        )
        do throws(UpstreamFailure) {
            let response = try await sender.send(request)
            return ProviderAnswer(response, secrets: [secret], requestIDHeader: Self.requestIDHeader)
        } catch {
            throw MintFailure(error)
        }
    }
}
