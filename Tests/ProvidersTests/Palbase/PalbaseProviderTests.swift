import Testing
import TokenBroker
import Upstream

@testable import Providers

private let serviceKey = "pb_demo_s0123456789abcdef"

@Suite("Palbase: keys and headers")
struct PalbaseProviderTests {
    private static let withSession = Options(["project": "demo", "session": "seed"])
    private static let withoutSession = Options(["project": "demo"])

    private func provider(_ options: Options, _ sender: any HTTPSender = FakeSender(500, "")) -> any Provider {
        let definition = ProviderDefinition(
            name: "palbase",
            kind: "palbase",
            baseURL: "https://demo.palbase.studio",
            secret: "key",
            timeout: .seconds(10),
            options: options
        )
        return ProviderRegistry.makeProvider(definition, .fake(sender))
    }

    private func mint(
        _ key: String = serviceKey,
        isForced: Bool = false,
        _ sender: any HTTPSender = FakeSender(500, "")
    ) async throws(MintFailure) -> Mint {
        let token = TokenDefinition(name: "web", provider: "palbase")
        let request = MintRequest(token: token, secret: Secret(key.utf8), isForced: isForced)
        return try await provider(Self.withoutSession, sender).mint(request)
    }

    // MARK: The kind

    @Test("a session's tokens are minted and go with the key; without a session the key is the credential")
    func form() throws {
        let kind = try #require(ProviderRegistry.kinds.first { $0.name == "palbase" })
        let session = kind.credential(provider: Self.withSession, token: Options())
        #expect(session == CredentialForm(accompaniesSecret: true))
        #expect(kind.credential(provider: Self.withoutSession, token: Options()) == CredentialForm(isSecret: true))
        #expect(kind.pace(provider: Self.withSession).map { $0.limit < 30 && $0.window == .seconds(60) } == true)
        #expect(kind.pace(provider: Self.withoutSession) == nil)
    }

    @Test(
        "the address comes from the project's ref, which is a label and nothing else",
        arguments: [
            ("abcd1234", true), ("my-app", true), ("a", true), ("", false), ("-a", false), ("a-", false), ("A", false),
            ("a.b", false), ("a/b", false), ("a@b", false), ("a:1", false), (String(repeating: "a", count: 64), false),
        ]
    )
    func address(ref: String, isValid: Bool) throws {
        let kind = try #require(ProviderRegistry.kinds.first { $0.name == "palbase" })
        #expect((kind.fault(provider: Options(["project": ref])) == nil) == isValid)
        guard case .derived("project", let make) = kind.address else {
            Issue.record("the address is not derived from the project")
            return
        }
        #expect(make("abcd1234") == "https://abcd1234.palbase.studio")
    }

    // MARK: Headers

    private let request = AppRequest(method: "GET", target: "/v1/todos", at: FakeSender.requestedAt)

    @Test("an access token goes along as bearer, beside the publishable key")
    func sessionHeaders() throws {
        let headers = try provider(Self.withSession).headers(
            for: request,
            credential: #require(TokenText("at-1")),
            secret: Secret(PalbaseWorld.publishableKey.utf8)
        )
        #expect(
            headers == [
                CredentialHeader("apikey", PalbaseWorld.publishableKey),
                CredentialHeader("Authorization", "Bearer at-1"),
            ]
        )
    }

    @Test("a key that may be secret does not go along with one", arguments: [serviceKey, "sk_live_1", "", nil])
    func secretKey(key: String?) throws {
        let credential = try #require(TokenText("at-1"))
        let fault = #expect(throws: AuthorizationFault.self) {
            try provider(Self.withSession).headers(
                for: request,
                credential: credential,
                secret: key.map { Secret($0.utf8) }
            )
        }
        #expect(fault?.detail.contains(serviceKey) == false)
    }

    @Test("a service key goes into apikey, and never into Authorization")
    func serviceHeaders() throws {
        let headers = try provider(Self.withoutSession).headers(
            for: request,
            credential: #require(TokenText(serviceKey)),
            secret: nil
        )
        #expect(headers == [CredentialHeader("apikey", serviceKey)])
    }

    // MARK: The service key

    @Test("a service key is its own token, without an end and without a request")
    func keyAsToken() async throws {
        let sender = FakeSender(500, "")
        let mint = try await mint(serviceKey, sender)
        #expect(mint.text == TokenText(serviceKey))
        #expect(mint.expiry == .never)
        #expect(mint.requestedAt == FakeSender.requestedAt)
        #expect(sender.requests.isEmpty)
    }

    @Test(
        "a key of the other kind is refused, and is sent nowhere",
        arguments: [PalbaseWorld.publishableKey, "", "ä b"]
    )
    func wrongServiceKey(key: String) async throws {
        let sender = FakeSender(400, #"{"error":"invalid_request"}"#)
        let failure = await #expect(throws: MintFailure.self) { try await mint(key, isForced: true, sender) }
        #expect(failure?.failureClass == .secretUnavailable)
        #expect(sender.requests.isEmpty)
    }

    @Test("a session is not refreshed with a key that is not publishable", arguments: [serviceKey, "sk_live_1"])
    func wrongPublishableKey(key: String) async throws {
        let world = PalbaseWorld()
        let failure = try #require(await world.broker().failure(key: key))
        #expect(failure.failureClass == .secretUnavailable)
        #expect(!failure.detail.contains(key))
        #expect(world.provider.requests.isEmpty)
    }

    @Test("a service key that somebody doubts is proven by a refresh that lacks its token")
    func proof() async throws {
        let sender = FakeSender(400, #"{"error":"invalid_request","status":400}"#)
        let mint = try await mint(isForced: true, sender)
        #expect(mint.text == TokenText(serviceKey))
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.path == "/auth/token/refresh")
        #expect(request.secret("apikey") == Secret(serviceKey.utf8))
        #expect(request.headers.map(\.name) == ["apikey", "Content-Type", "Accept"])
        #expect(String(decoding: request.body, as: UTF8.self) == "{}")
        #expect(request.isReplayable)
    }

    @Test(
        "an answer proves a key, refuses it, or leaves it as it was",
        arguments: [
            (400, #"{"error":"invalid_request"}"#, nil), (401, #"{"error":"invalid_token"}"#, nil),
            (401, #"{"error":"invalid_api_key"}"#, .secretRejected),
            (401, #"{"error":"revoked_api_key"}"#, .secretRejected),
            (401, #"{"error":"missing_api_key"}"#, .secretRejected), (403, #"{"error":"forbidden"}"#, .secretRejected),
            (404, #"{"error":"not_found"}"#, .requestRejected), (429, "", .rateLimited),
            (400, "<html>", .transient), (401, "", .transient), (500, #"{"error":"invalid_request"}"#, .transient),
            (200, "{}", .transient), (307, "", .requestRejected), (409, #"{"error":"wake_in_progress"}"#, .transient),
            (503, #"{"error":"tenant_unreachable"}"#, .transient),
        ] as [(Int, String, FailureClass?)]
    )
    func proofs(status: Int, body: String, expected: FailureClass?) async {
        do {
            _ = try await mint(isForced: true, FakeSender(status, body))
            #expect(expected == nil)
        } catch {
            #expect(error.failureClass == expected)
        }
    }

    @Test("a provider that cannot be reached proves nothing")
    func unreachable() async {
        let sender = FakeSender(.failure(UpstreamFailure(.timedOut, "host: late")))
        let failure = await #expect(throws: MintFailure.self) { try await mint(isForced: true, sender) }
        #expect(failure?.failureClass == .transient)
    }
}
