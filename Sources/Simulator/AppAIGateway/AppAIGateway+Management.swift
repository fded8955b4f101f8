internal import HTTPWire
internal import JSON

extension AppAIGateway {
    /// The management key that works from the start; one of another kind than the apps' keys.
    static let exampleManagementKey = "agw_mgmt_example"

    /// `GET` and `POST /v1/admin/apps/APP/keys`, and `POST /v1/admin/apps/APP/keys/ID/revoke`: by which keys are
    /// rotated. There is no way to bring a revoked one back.
    ///
    /// - Parameter rest: What follows `/v1/admin/apps/APP` in the path.
    func manage(_ appID: String, _ rest: [String], _ request: ProviderRequest) throws(GatewayRefusal) -> ProviderAnswer
    {
        guard request.http.bearerCredential == Self.exampleManagementKey else { throw GatewayRefusal(.authRequired) }
        guard apps.contains(where: { $0.id == appID }) else { throw GatewayRefusal(.appNotFound) }
        switch (request.http.method, rest.count) {
        case (.get, 1):
            let list = keys.all.filter { $0.app == appID }.reversed().map(\.managementJSON)
            return ProviderAnswer(.other, .gateway(200, ["app_id": .string(appID), "keys": .array(list)]))
        case (.post, 1): return ProviderAnswer(.other, .gateway(201, try createKey(appID, request)))
        case (.post, 3) where rest[2] == "revoke":
            guard let key = keys.setRevoked(true, where: { $0.id == rest[1] && $0.app == appID }) else {
                throw GatewayRefusal(.notFound)
            }
            return ProviderAnswer(.other, .gateway(200, ["app_id": .string(appID), "key": key.managementJSON]))
        default: throw GatewayRefusal(.invalidRequest, status: 404)
        }
    }

    private func createKey(_ appID: String, _ request: ProviderRequest) throws(GatewayRefusal) -> JSONValue {
        let now = request.nowMilliseconds
        let claim = try GatewayReceipts.Claim(request.http, path: request.path)
        if let claim, let answer = try receipts.answer(to: claim, nowMilliseconds: now) { return answer }
        let body = try? JSONValue(parsing: request.http.body)
        guard let name = body?["name"]?.string?.trimmed, (1...100).contains(name.count) else {
            throw GatewayRefusal(.invalidRequest)
        }
        let active = Int64(keys.all.count { $0.app == appID && !$0.isRevoked })
        if let limit = settings.activeKeysPerApp, active >= limit {
            throw GatewayRefusal(
                .billingPlanLimitReached,
                data: ["limit": .number(JSONNumber(limit)), "used": .number(JSONNumber(active))]
            )
        }
        let key = keys.make(for: appID, name: name, nowMilliseconds: now)
        let answer: JSONValue = [
            "id": .string(key.id), "name": .string(name), "key": .string(key.text), "key_prefix": .string(key.prefix),
            "created_at": .string(CalendarText.rfc3339(unixMilliseconds: now)),
        ]
        if let claim { receipts.keep(answer, keyID: key.id, for: claim, nowMilliseconds: now) }
        return answer
    }
}

extension GatewayKeys.Key {
    /// The key as the service lists it: without itself, and with one instant in each of two forms.
    fileprivate var managementJSON: JSONValue {
        [
            "id": .string(id), "name": .string(name), "key_prefix": .string(prefix),
            "status": .string(isRevoked ? "revoked" : "active"),
            "created_at": .string(CalendarText.rfc3339(unixMilliseconds: createdAtMilliseconds)),
            "last_used_at": lastUsedAtMilliseconds.map { .string(CalendarText.sqlite(unixMilliseconds: $0)) } ?? .null,
        ]
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
