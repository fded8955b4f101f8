internal import HTTPWire
internal import JSON

extension AppAIGateway {
    /// What a request is for.
    enum Target {
        case endpoint(slug: String)
        case proxy(provider: String, path: String)

        /// The fields in which the credential may stand; the first that says anything counts.
        fileprivate var credentialFields: [String] {
            switch self {
            case .endpoint: ["Authorization"]
            case .proxy: ["Authorization", "x-api-key", "x-goog-api-key"]
            }
        }
    }

    /// Who makes a request.
    struct Caller {
        let app: GatewayApp
        let user: String?
        let appVersion: String?
    }

    /// The units of UTF-16 that are kept of an app's version.
    private static let longestAppVersion = 64

    /// `POST /v1/apps/APP/endpoints/SLUG` and any method to `/v1/apps/APP/proxy/PROVIDER/PATH`: says what arrived, and
    /// nothing of the credential.
    func serve(
        _ target: Target,
        of appID: String,
        _ request: ProviderRequest
    ) throws(GatewayRefusal) -> ProviderAnswer {
        let caller = try caller(appID, request, credentialFields: target.credentialFields)
        var body: JSONObject = ["app": .string(appID)]
        switch target {
        case .endpoint(let slug):
            guard slug.wholeMatch(of: #/[a-z0-9-]{1,64}/#) != nil else { throw GatewayRefusal(.endpointNotFound) }
            body["endpoint"] = .string(slug)
        case .proxy(let provider, let path):
            guard provider.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil else {
                throw GatewayRefusal(.providerNotConfigured)
            }
            body["provider"] = .string(provider)
            body["path"] = .string(path)
        }
        try refuseBlocked(caller)
        body["method"] = .string(request.http.method.name)
        body["user"] = caller.user.map(JSONValue.string) ?? .null
        body["app_version"] = caller.appVersion.map(JSONValue.string) ?? .null
        body["body_sha256"] = .string(Digest.sha256(request.http.body).hexadecimal)
        return ProviderAnswer(.other, .gateway(200, .object(body)))
    }

    /// `GET /v1/apps/APP/me`, which an app without users does not have.
    func me(_ appID: String, _ request: ProviderRequest) throws(GatewayRefusal) -> ProviderAnswer {
        let caller = try caller(appID, request, credentialFields: ["Authorization"])
        guard let user = caller.user else { throw GatewayRefusal(.authMethodNotSupported) }
        try refuseBlocked(caller)
        let limits: JSONValue = [
            "requests_today": nil, "requests_remaining": nil, "requests_per_minute": nil, "requests_per_day": nil,
            "monthly_cost_usd": 0, "monthly_budget_usd": nil, "blocked": false,
        ]
        return ProviderAnswer(.other, .gateway(200, ["user_id": .string(user), "limits": limits]))
    }

    /// The checks that come before any look at what is asked for, in the service's order: a user who is not named is
    /// refused before the key is verified, so that a 400 says nothing about the key.
    private func caller(
        _ appID: String,
        _ request: ProviderRequest,
        credentialFields: [String]
    ) throws(GatewayRefusal) -> Caller {
        let app = try app(appID)
        guard let credential = request.http.gatewayCredential(in: credentialFields) else {
            throw GatewayRefusal(.authRequired)
        }
        let version = request.http.headers.first("X-App-Version").flatMap { $0.isEmpty ? nil : $0 }
        let appVersion = version.map { String(decoding: $0.utf16.prefix(Self.longestAppVersion), as: UTF16.self) }
        if app.endUser == .issuer {
            guard let subject = tokens.live(credential, nowMilliseconds: request.nowMilliseconds),
                subject.app == appID, keys.isActive(id: subject.keyID)
            else { throw GatewayRefusal(.authRequired) }
            guard appVersion != nil else { throw GatewayRefusal(.invalidRequest) }
            return Caller(app: app, user: subject.user, appVersion: appVersion)
        }
        let user = app.endUser == .header ? try headerUser(request.http) : nil
        guard keys.use(credential, of: appID, nowMilliseconds: request.nowMilliseconds) != nil else {
            throw GatewayRefusal(.authRequired)
        }
        return Caller(app: app, user: user, appVersion: appVersion)
    }

    private func headerUser(_ request: HTTPRequest) throws(GatewayRefusal) -> String {
        let user = request.headers.values(settings.endUserHeader).joined(separator: ", ")
        guard (1...128).contains(user.utf8.count), user.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw GatewayRefusal(.invalidRequest)
        }
        return user
    }

    private func refuseBlocked(_ caller: Caller) throws(GatewayRefusal) {
        guard let user = caller.user, blockedUsers.contains(user) else { return }
        throw GatewayRefusal(.authRequired, status: 403)
    }
}

extension HTTPRequest {
    /// The credential; in front of it may stand `Bearer`, in any case.
    fileprivate func gatewayCredential(in fields: [String]) -> String? {
        for field in fields {
            let value = headers.values(field).joined(separator: ", ")
            let rest = value.lowercased().hasPrefix("bearer ") ? value.dropFirst("bearer ".count) : value[...]
            let credential = rest.drop { $0 == " " }
            if !credential.isEmpty, credential.lowercased() != "bearer" { return String(credential) }
        }
        return nil
    }
}
