internal import HTTPWire
internal import JSON

/// App AI Gateway, as a server uses it with API keys: three apps, of which one knows no users, one is told them in a
/// header field, and one exchanges a user's issuer token and its key for a gateway token.
///
/// Source: the documents and the public source of maxceem/app-ai-gateway. What was chosen here: the apps and their keys
/// (``GatewayApp/examples``, ``GatewayKeys/examples``); a revoked key and a blocked user end at once, where the service
/// takes up to a minute; users are blocked in all apps together; every endpoint and provider exists, and answers what
/// arrived; an issuer token is any JSON web token with `sub` and `exp`, whose signature is not looked at, and whose
/// claim `entitled`, where it is false, means that what the app demands is missing.
///
/// ``control(_:_:)`` lists what it has of its own on the control API.
final class AppAIGateway: SimulatedProvider {
    /// Whom a gateway token stands for.
    struct Subject: Equatable {
        let app: String
        let keyID: String
        let user: String
    }

    let name = "app-ai-gateway"
    let lifetimeSeconds: Int64
    var apps = GatewayApp.examples
    var keys = GatewayKeys.examples
    var tokens = MintedTokens<Subject>()
    var settings = GatewaySettings()
    var windows = FixedWindows()
    var receipts = GatewayReceipts()
    var blockedUsers: Set<String> = []
    var usersWithoutClaims: Set<String> = []

    init(lifetimeSeconds: Int64) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        do throws(GatewayRefusal) {
            return try route(request)
        } catch {
            return error.answer
        }
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        GatewayRefusal(GatewayErrorCode(status: status), status: status).response
    }

    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)? {
        GatewayErrorCode(rawValue: name).map { code in { _ in GatewayRefusal.example(code).response } }
    }

    /// A path that is not there, with this method, is refused before its app is looked for.
    private func route(_ request: ProviderRequest) throws(GatewayRefusal) -> ProviderAnswer {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        if request.http.method == .get, parts == ["v1", "healthz"] {
            return ProviderAnswer(.other, .gateway(200, ["ok": true, "service": "app-ai-gateway", "vault": "ok"]))
        }
        if parts.count > 4, parts[0...2] == ["v1", "admin", "apps"], parts[4] == "keys" {
            return try manage(parts[3], Array(parts[4...]), request)
        }
        guard parts.count > 3, parts[0...1] == ["v1", "apps"] else {
            throw GatewayRefusal(.invalidRequest, status: 404)
        }
        let (app, rest) = (parts[2], Array(parts[3...]))
        switch (request.http.method, rest[0], rest.count) {
        case (.post, "auth", 2) where rest[1] == "token": return try exchange(app, request)
        case (.post, "auth", 2) where ["challenge", "register"].contains(rest[1]):
            return try attest(app, endpoint: rest[1], request)
        case (.get, "me", 1): return try me(app, request)
        case (.post, "endpoints", 2): return try serve(.endpoint(slug: rest[1]), of: app, request)
        case (_, "proxy", 3...):
            let path = rest[2...].joined(separator: "/")
            return try serve(.proxy(provider: rest[1], path: path), of: app, request)
        default: throw GatewayRefusal(.invalidRequest, status: 404)
        }
    }

    /// The app, where there is one that may be used.
    func app(_ id: String) throws(GatewayRefusal) -> GatewayApp {
        guard let app = apps.first(where: { $0.id == id }) else { throw GatewayRefusal(.appNotFound) }
        if app.isDisabled { throw GatewayRefusal(.appDisabled) }
        return app
    }
}
