import HTTPWire
import JSON

@testable import Simulator

/// The example service: `POST /v1/tokens` for a token, `GET /v1/hello` to prove that it works.
final class Example: SimulatedProvider {
    static let exampleKey = "ex_sk_test_demo"

    let name = "example"
    private let lifetimeSeconds: Int64
    private var tokens = MintedTokens<String>()

    init(lifetimeSeconds: Int64) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        switch (request.http.method, request.path) {
        case (.post, "/v1/tokens"): mint(request)
        case (.get, "/v1/hello"): hello(request)
        default: ProviderAnswer(.other, Self.refusal(404, "not_found"))
        }
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        Self.refusal(status, status == 401 ? "bad_key" : "simulated")
    }

    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        guard action == "revoke" else { return nil }
        return ["revoked": .number(JSONNumber(Int64(tokens.revokeAll())))]
    }

    private func mint(_ request: ProviderRequest) -> ProviderAnswer {
        guard request.http.bearerCredential == Self.exampleKey else {
            return ProviderAnswer(.refused, Self.refusal(401, "bad_key"))
        }
        guard let project = (try? JSONValue(parsing: request.http.body))?["project"]?.string else {
            return ProviderAnswer(.other, Self.refusal(404, "unknown_project"))
        }
        let lifetime = request.behaviour.lifetimeSeconds ?? lifetimeSeconds
        let token = tokens.mint(
            "ex_at_" + RandomText.hexadecimal(bytes: 16),
            for: project,
            expiresAtMilliseconds: request.nowMilliseconds + lifetime * 1000
        )
        return ProviderAnswer(
            .minted,
            .json(200, ["token": .string(token.text), "ttl": .number(JSONNumber(lifetime))])
        )
    }

    private func hello(_ request: ProviderRequest) -> ProviderAnswer {
        guard let token = request.http.bearerCredential,
            let project = tokens.live(token, nowMilliseconds: request.nowMilliseconds)
        else { return ProviderAnswer(.refused, Self.refusal(401, "bad_token")) }
        return ProviderAnswer(.other, .json(200, ["project": .string(project)]))
    }

    private static func refusal(_ status: Int, _ code: String) -> HTTPResponse {
        .json(status, ["error": ["code": .string(code), "message": "refused"]])
    }
}
