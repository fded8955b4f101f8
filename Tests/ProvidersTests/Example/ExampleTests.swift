import Testing
import TokenBroker
import Upstream

@Suite("The example of a provider")
struct ExampleTests {
    private static let key = "ex_sk_canary"

    private func mint(_ sender: FakeSender) async throws -> Mint {
        let token = TokenDefinition(name: "x", provider: "example", options: Options(["project": "demo"]))
        return try await ExampleProvider(sender: sender).mint(MintRequest(token: token, secret: Secret(Self.key.utf8)))
    }

    @Test("sends exactly the documented request, and reads the answer in its unit")
    func request() async throws {
        let sender = FakeSender(200, #"{"token":"ex_at_a","ttl":600}"#)
        let mint = try await mint(sender)
        #expect(mint.text == TokenText("ex_at_a"))
        #expect(mint.expiry == .after(.seconds(600)))
        let request = try #require(sender.requests.first)
        #expect(request.path == "/v1/tokens")
        #expect(request.headerLines.first == "Authorization: Bearer \(Self.key)")
        #expect(request.bodyText == #"{"project":"demo"}"#)
    }

    private static func error(_ code: String) -> String { #"{"error":{"code":"\#(code)","message":"\#(key)"}}"# }

    static let faults =
        Fault.common + [
            Fault(401, error("bad_key"), .secretRejected, code: "bad_key"),
            Fault(404, error("unknown_project"), .requestRejected, code: "unknown_project"),
            Fault(429, error("plan_exhausted"), headers: Fault.pause, .quotaExhausted, code: "plan_exhausted"),
            Fault(403, error("news"), .secretRejected, code: "news"),
            Fault(200, #"{"token":7,"ttl":600}"#, .transient),
            Fault(200, #"{"token":"a","ttl":"ten minutes"}"#, .transient),
        ]

    @Test("tells its failures apart by their code", arguments: faults)
    func failures(_ fault: Fault) async throws {
        try await fault.check(withholding: [Self.key]) { try await mint($0) }
    }
}
