import Testing
import TokenBroker
import Upstream

@testable import Providers

let product = "0d4c1a53-6f0e-4d0e-9f3a-5f6c0b1d2e3f"
let canary = "sk_v1_canary-8f3a"

func mint(_ sender: FakeSender, options: Options = Options(["product_id": product])) async throws(MintFailure) -> Mint {
    let token = TokenDefinition(name: "search", provider: "autocomplete", options: options)
    let request = MintRequest(token: token, secret: Secret(canary.utf8))
    return try await AIAutocompleteProvider(sender: sender).mint(request)
}

@Suite("AI Autocomplete: minting")
struct AIAutocompleteMintTests {
    @Test("sends exactly the documented request")
    func request() async throws {
        let sender = FakeSender(200, #"{"access_token":"at_v1_a","expires_at":1775464738,"token_type":"Bearer"}"#)
        _ = try await mint(sender)
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.method == .post)
        #expect(request.path == "/api/auth/token")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"product_id":"\#(product)"}"#)
        #expect(request.isReplayable)
        #expect(request.headers.map(\.name) == ["Authorization", "Content-Type", "Accept"])
        guard case .bearer(let secret) = request.headers[0].value else {
            Issue.record("the key is not sent as Bearer")
            return
        }
        #expect(secret == Secret(canary.utf8))
        for header in request.headers.dropFirst() {
            guard case .text("application/json") = header.value else {
                Issue.record("\(header.name) is not application/json")
                continue
            }
        }
    }

    @Test("gives back the token, its end in the provider's unit, the time of the request and the provider's clock")
    func token() async throws {
        let sender = FakeSender(
            200,
            #"{"access_token":"at_v1_a","expires_at":1775464738,"token_type":"Bearer"}"#,
            headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        )
        let mint = try await mint(sender)
        #expect(mint.text == TokenText("at_v1_a"))
        #expect(mint.expiry == .at(WallInstant(milliseconds: 1_775_464_738_000)))
        #expect(mint.requestedAt == FakeSender.requestedAt)
        #expect(mint.providerDate == WallInstant(milliseconds: 784_111_778_000))
    }

    @Test(
        "reads Unix seconds as a number or as text, and never invents an end",
        arguments: [
            (#","expires_at":1775464738"#, .at(WallInstant(milliseconds: 1_775_464_738_000))),
            (#","expires_at":"1775464738""#, .at(WallInstant(milliseconds: 1_775_464_738_000))),
            (#","expires_at":1775464738.25"#, .at(WallInstant(milliseconds: 1_775_464_738_250))),
            (#","expires_at":1.775464738e9"#, .at(WallInstant(milliseconds: 1_775_464_738_000))),
            (#","expires_at":0"#, .at(WallInstant(milliseconds: 0))),
            (#","expires_at":-5"#, .at(WallInstant(milliseconds: -5000))),
            (#","expires_at":9007199254740993"#, .at(WallInstant(milliseconds: 9_007_199_254_740_993_000))),
            (#","expires_at":1e400"#, .at(WallInstant(milliseconds: .max))),
            (#","expires_at":null"#, .unstated),
            ("", .unstated),
        ] as [(String, StatedExpiry)]
    )
    func expiry(member: String, expected: StatedExpiry) async throws {
        let mint = try await mint(FakeSender(200, #"{"access_token":"at_v1_a"\#(member)}"#))
        #expect(mint.expiry == expected)
    }

    @Test("takes any success status, any case of Bearer, a byte order mark and members it does not know")
    func tolerance() async throws {
        for (status, body) in [
            (201, #"{"access_token":"a"}"#), (200, #"{"access_token":"a","token_type":"bEARER"}"#),
            (200, #"{"access_token":"a","token_type":null}"#), (200, "\u{FEFF}{\"access_token\":\"a\"}"),
            (200, #"{"x":1e999,"access_token":"a","y":[{}]}"#),
        ] {
            #expect(try await mint(FakeSender(status, body)).text == TokenText("a"))
        }
    }

    @Test("asks for a product before anything is sent")
    func withoutProduct() async throws {
        let sender = FakeSender(200, "{}")
        let failure = await #expect(throws: MintFailure.self) { try await mint(sender, options: Options()) }
        #expect(failure?.failureClass == .requestRejected)
        #expect(sender.requests.isEmpty)
    }
}
