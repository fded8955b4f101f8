import HTTPWire
import JSON
import Testing

@testable import Simulator

@Suite("The example of a simulated provider")
struct ExampleTests {
    private let example = Example(lifetimeSeconds: 600)

    /// What it answers at a second of its clock.
    private func ask(
        _ method: HTTPMethod,
        _ path: String,
        bearer: String,
        _ body: JSONValue? = nil,
        at second: Int64 = 0
    ) throws -> (outcome: ProviderAnswer.Outcome, status: Int, json: JSONValue) {
        let headers = [try HeaderField("Authorization", "Bearer \(bearer)")]
        let bytes = try HTTPClientRequest(method, path, headers: headers, body: body?.serialized() ?? []).encoded()
        var (parser, position) = (RequestParser(), 0)
        guard case .request(let http) = bytes.withUnsafeBytes({ parser.next($0, &position) }) else {
            throw ClientError(description: "not a request")
        }
        let request = ProviderRequest(
            http: http,
            path: path,
            requestID: "req_1",
            behaviour: Behaviour(),
            nowMilliseconds: second * 1000
        )
        let answer = example.answer(request)
        return (answer.outcome, answer.response.status, try JSONValue(parsing: answer.response.body))
    }

    @Test("mints what it takes until the end")
    func mints() throws {
        let minted = try ask(.post, "/v1/tokens", bearer: Example.exampleKey, ["project": "demo"])
        #expect(minted.outcome == .minted)
        #expect(minted.json["ttl"] == 600)
        let token = try #require(minted.json["token"]?.string)
        #expect(try ask(.get, "/v1/hello", bearer: token, at: 599).json["project"] == "demo")
        #expect(try ask(.get, "/v1/hello", bearer: token, at: 600).status == 401)
    }

    @Test("refuses a wrong key, and takes no token that was revoked")
    func refuses() throws {
        #expect(try ask(.post, "/v1/tokens", bearer: "ex_sk_other", ["project": "demo"]).outcome == .refused)
        let minted = try ask(.post, "/v1/tokens", bearer: Example.exampleKey, ["project": "demo"])
        #expect(try example.control("revoke", JSONObject()) == ["revoked": 1])
        let token = try #require(minted.json["token"]?.string)
        #expect(try ask(.get, "/v1/hello", bearer: token).outcome == .refused)
    }
}
