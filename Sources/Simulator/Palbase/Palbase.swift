internal import HTTPWire
internal import JSON

/// Palbase: `POST /auth/token/refresh` mints an access token for a single-use refresh token, `/v1/todos` takes it.
///
/// Source: the deprecated SDK palgroup/palbase-ios, and seklabsnet/palauth, which the service descends from. What is not
/// published and was chosen here: `/v1/todos` itself, the codes `bearer_not_allowed`, `unauthorized`, `not_found`,
/// `method_not_allowed` and `simulated_fault`, that a Bearer on the refresh is refused (the SDK never sends one, so that
/// a client which does is caught), and that a revoked session's access tokens are refused at once.
///
/// Of its own on the control API:
/// - `POST sessions` with `{"refresh_token": …, "project": REF, "subject": USER, "expires_in": SECONDS}`, each of which
///   may be left out; answers the session's id, its subject and its first refresh token.
/// - `POST revoke` with `{"session": ID}`, `{"token": ACCESS_TOKEN}`, or without a body for all access tokens.
/// - `POST keys` with `{"add": "pb_REF_c…"}` or `{"revoke": …}`; `pb_REF_s…` keys as well.
final class Palbase: SimulatedProvider {
    static let defaultLifetimeSeconds: Int64 = 1800
    static let defaultGraceSeconds: Int64 = 30
    static let defaultRefreshLifetimeSeconds: Int64 = 30 * 24 * 60 * 60

    let name = "palbase"
    let requestIDField = "X-Request-ID"
    var keys: Set<ProjectKey> = []
    var revokedKeys: Set<ProjectKey> = []
    var refreshTokens = RefreshTokens()
    var accessTokens = MintedTokens<RefreshTokens.Session>()
    var limit = RefreshLimit()
    let wallMilliseconds: () -> Int64

    /// - Parameter wallMilliseconds: The clock by which sessions begin.
    init(wallMilliseconds: @escaping () -> Int64) {
        self.wallMilliseconds = wallMilliseconds
        let now = wallMilliseconds()
        keys = Set([SimulatorOptions.demoPublishableKey, SimulatorOptions.demoServiceKey].compactMap(ProjectKey.init))
        _ = refreshTokens.begin(
            RefreshTokens.Session(id: "session_demo", project: "demo", subject: "user_demo"),
            SimulatorOptions.demoRefreshToken,
            nowMilliseconds: now,
            expiresAt: now + Self.defaultRefreshLifetimeSeconds * 1000
        )
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        do throws(PalbaseRefusal) {
            switch (request.path, request.http.method) {
            case ("/auth/token/refresh", .post): return try refresh(request)
            case ("/v1/todos", .get), ("/v1/todos", .post): return try todos(request)
            case ("/auth/token/refresh", _): return methodNotAllowed("POST", request)
            case ("/v1/todos", _): return methodNotAllowed("GET, POST", request)
            default: throw .notFound
            }
        } catch {
            return refused(error, request)
        }
    }

    /// A request that names itself keeps its name, where that can be sent back.
    func requestID(for request: HTTPRequest) -> String {
        request.headers.first("X-Request-ID").flatMap { try? HeaderField("X-Request-ID", $0).value }
            ?? "req_" + RandomText.hexadecimal(bytes: 12)
    }

    var report: JSONObject {
        [
            "families_revoked": .number(JSONNumber(Int64(refreshTokens.families.count { $0.isRevoked }))),
            "sessions": .array(
                refreshTokens.families.map {
                    [
                        "id": .string($0.session.id),
                        "project": .string($0.session.project),
                        "subject": .string($0.session.subject),
                        "revoked": .bool($0.isSessionRevoked),
                        "family_revoked": .bool($0.isRevoked),
                    ]
                }
            ),
            "refresh_tokens": .array(
                refreshTokens.uses.map {
                    [
                        "sha256": .string($0.digest),
                        "presented": .number(JSONNumber($0.presented)),
                        "spent": .number(JSONNumber($0.spent)),
                    ]
                }
            ),
        ]
    }

    /// The project's key that the request carries.
    func projectKey(_ request: ProviderRequest) throws(PalbaseRefusal) -> ProjectKey {
        let values = request.http.headers.values("apikey")
        guard let text = values.first else { throw .missingKey }
        guard values.count == 1, let key = ProjectKey(text) else { throw .invalidKey }
        if revokedKeys.contains(key) { throw .revokedKey }
        guard keys.contains(key) else { throw .invalidKey }
        return key
    }
}
