internal import Digests
internal import TokenBroker
internal import Upstream

/// OAuth 2.0 client credentials (RFC 6749 §4.4): `POST` to the token endpoint with the client's id and secret.
///
/// Minting again gives one more token and takes nothing away, so that a request may be sent twice.
struct OAuth2Provider: Provider {
    static let kind = ProviderKind(
        name: "oauth2",
        // It may have a query (RFC 6749 §3.2).
        address: .endpoint("token_url"),
        providerOptions: [
            OptionDeclaration("client_id", .headerValue, isRequired: true),
            OptionDeclaration("client_auth", .choice(["basic", "body"])),
            OptionDeclaration("scope", .headerValue),
            OptionDeclaration("audience", .headerValue),
            OptionDeclaration("resource", .headerValue),
        ]
    )

    private let options: Options
    private let sender: any HTTPSender

    init(_ definition: ProviderDefinition, sender: any HTTPSender) {
        options = definition.options
        self.sender = sender
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let answer = try await send(secret: request.secret)
        return try OAuth2Answer(answer).mint(asking: options["scope"])
    }

    func verify(_ request: MintRequest) async throws(MintFailure) -> Mint? {
        do throws(MintFailure) {
            return try await mint(request)
        } catch {
            throw error.asVerdict(keyCodes: OAuth2Answer.clientCodes)
        }
    }

    private func send(secret: Secret) async throws(MintFailure) -> ProviderAnswer {
        let client = (id: options["client_id"] ?? "", secret: secret.withBytes { String(decoding: $0, as: UTF8.self) })
        var form = FormBody()
        form.append("grant_type", "client_credentials")
        for name in ["scope", "audience", "resource"] {
            if let value = options[name] { form.append(name, value) }
        }
        var headers: [UpstreamRequest.Header] = [
            .init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json"),
        ]
        if options["client_auth"] == "body" {
            form.append("client_id", client.id)
            form.append("client_secret", client.secret)
        } else {
            // Both parts are encoded before they are joined, so that a colon in them is none (§2.3.1).
            let pair = "\(FormBody.encoded(client.id)):\(FormBody.encoded(client.secret))"
            headers.append(.init("Authorization", .secret(Secret("Basic \(Base64.text(Array(pair.utf8)))".utf8))))
        }
        let request = UpstreamRequest(.post, path: "", headers: headers, body: form.bytes, isReplayable: true)
        do throws(UpstreamFailure) {
            return ProviderAnswer(try await sender.send(request), envelope: .flat, secrets: [secret])
        } catch {
            throw MintFailure(error)
        }
    }
}
