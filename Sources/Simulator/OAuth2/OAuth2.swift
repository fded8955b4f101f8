internal import HTTPWire
internal import JSON

/// An OAuth 2.0 server with the client credentials grant: `POST /token` (RFC 6749 section 4.4), and `GET /resource`, which
/// takes a live token.
///
/// The lifetime and `/resource` were chosen here. `scope`, `audience` and `resource` (RFC 8707) are granted as asked for;
/// `/resource` says what a token was granted.
///
/// Of its own on the control API:
/// - `POST clients` with `{"add": ID, "secret": TEXT, "scopes": [TEXT, …], "allowed": true|false}`, of which the last two
///   may be left out (any scope, allowed), or `{"remove": ID}`.
/// - `POST revoke` with `{"token": TOKEN}`, or without a body for all tokens.
final class OAuth2: SimulatedProvider {
    static let defaultLifetimeSeconds: Int64 = 3600

    /// What a token was granted.
    struct Grant: Equatable {
        let client: String
        let scope: [String]
        let audience: String?
        let resources: [String]
    }

    let name = "oauth2"
    /// By their ids.
    var clients: [String: OAuth2Client]
    var tokens = MintedTokens<Grant>()
    /// How many tokens were minted for each way of authentication.
    var mintsByMethod: [ClientAuthentication.Method: Int64] = [:]

    init() {
        let id = SimulatorOptions.demoClientID
        clients = [id: OAuth2Client(id: id, secret: SimulatorOptions.demoClientSecret)]
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        switch (request.path, request.http.method) {
        case ("/token", .post):
            do throws(OAuth2Refusal) {
                return ProviderAnswer(.minted, try mint(request))
            } catch {
                return ProviderAnswer(error.status == 401 ? .refused : .other, Self.response(error))
            }
        case ("/resource", .get): return resource(request)
        case ("/token", _): return Self.methodNotAllowed("POST")
        case ("/resource", _): return Self.methodNotAllowed("GET")
        default: return ProviderAnswer(.other, .json(404, ["error": "not_found"]))
        }
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        switch status {
        case 400: Self.response(.invalidRequest)
        case 401: Self.response(.invalidClient)
        case 503: Self.response(.temporarilyUnavailable)
        default: Self.response(.simulated(status))
        }
    }

    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)? {
        OAuth2Refusal.all.first { $0.code == name }.map { refusal in { _ in Self.response(refusal) } }
    }

    var report: JSONObject {
        func count(_ method: ClientAuthentication.Method) -> JSONValue {
            .number(JSONNumber(mintsByMethod[method, default: 0]))
        }
        return ["mints_by_client_auth": ["basic": count(.basic), "body": count(.body)]]
    }

    private static func response(_ refusal: OAuth2Refusal) -> HTTPResponse {
        var headers = [HeaderField.noStore]
        if refusal.status == 401 {
            headers.append(HeaderField(constant: "WWW-Authenticate", "Basic realm=\"simulator\""))
        }
        let body: JSONValue = [
            "error": .string(refusal.code), "error_description": .string(refusal.description),
        ]
        return .json(refusal.status, body, headers: headers)
    }

    private static func methodNotAllowed(_ allowed: StaticString) -> ProviderAnswer {
        let headers = [HeaderField(constant: "Allow", allowed)]
        return ProviderAnswer(.other, .json(405, ["error": "method_not_allowed"], headers: headers))
    }
}
