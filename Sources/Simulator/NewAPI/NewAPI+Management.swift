internal import HTTPWire
internal import JSON

extension NewAPI {
    private static let longestName = 50
    private static let keyLetters = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let keyLength = 48

    private enum Status {
        static let enabled: Int64 = 1
        static let disabled: Int64 = 2
    }

    /// The routes below `/api/token`, for the system access token of the user whom `New-Api-User` names.
    ///
    /// What the service refuses by its rules it answers with 200 and `success` false. Searching, and what takes many keys
    /// at once, are not here.
    func manage(_ request: ProviderRequest, _ path: String) -> ProviderAnswer {
        guard request.http.bearerCredential == SimulatorOptions.demoSystemToken,
            request.http.headers.values("New-Api-User") == [SimulatorOptions.demoUserID]
        else {
            let body: JSONValue = ["success": false, "message": "Not logged in", "code": "AUTH_UNAUTHORIZED"]
            return ProviderAnswer(.refused, .json(401, body))
        }
        let parts = path.split(separator: "/").map(String.init)
        let key = parts.first.flatMap { id in keys.values.first { String($0.id) == id } }
        switch (request.http.method, parts.count) {
        case (.get, 0): return listKeys()
        case (.post, 0): return createKey(request)
        case (.put, 0): return updateKey(request)
        case (.get, 1): return done(key.map(Self.json))
        case (.delete, 1):
            if let key { keys[key.text] = nil }
            return done(key.map { _ in nil })
        case (.post, 2) where parts[1] == "key": return done(key.map { ["key": .string($0.text)] })
        default: return ProviderAnswer(.other, .json(404, ["success": false, "message": "There is nothing here"]))
        }
    }

    private func listKeys() -> ProviderAnswer {
        let items = keys.values.sorted { $0.id < $1.id }.map(Self.json)
        return done(["items": .array(items), "total": .number(JSONNumber(Int64(items.count)))])
    }

    /// The answer does not hold the key: it has to be revealed.
    private func createKey(_ request: ProviderRequest) -> ProviderAnswer {
        guard let body = (try? JSONValue(parsing: request.http.body))?.object, let name = body["name"]?.string,
            name.count <= Self.longestName
        else { return refused("The name is missing or too long") }
        let text = String((0..<Self.keyLength).map { _ in Self.keyLetters[Int.random(in: Self.keyLetters.indices)] })
        addKey(text, name: name)
        // -1 is how the service writes that there is no end.
        keys[text]?.expiresAtSeconds = body["expired_time"]?.number?.int64.flatMap { $0 == -1 ? nil : $0 }
        return ProviderAnswer(.other, .json(200, ["success": true, "message": ""]))
    }

    /// Changes the status, and without `status_only` the name.
    private func updateKey(_ request: ProviderRequest) -> ProviderAnswer {
        let body = try? JSONValue(parsing: request.http.body)
        guard let id = body?["id"]?.number?.int64, var key = keys.values.first(where: { $0.id == id }) else {
            return done(nil)
        }
        if let status = body?["status"]?.number?.int64 { key.isEnabled = status == Status.enabled }
        let isStatusOnly = request.http.query.flatMap(QueryItems.init)?.values("status_only").isEmpty == false
        if !isStatusOnly, let name = body?["name"]?.string { key.name = name }
        keys[key.text] = key
        return done(Self.json(key))
    }

    /// - Parameter data: Nil where there is no such key.
    private func done(_ data: JSONValue?) -> ProviderAnswer {
        guard let data else { return refused("record not found") }
        return ProviderAnswer(.other, .json(200, ["success": true, "message": "", "data": data], headers: [.noStore]))
    }

    private func refused(_ message: String) -> ProviderAnswer {
        ProviderAnswer(.other, .json(200, ["success": false, "message": .string(message)]))
    }

    /// A key as it is listed, its text masked.
    private static func json(_ key: RelayKey) -> JSONValue {
        [
            "id": .number(JSONNumber(key.id)),
            "user_id": 1,
            "key": .string("\(key.text.prefix(4))**********\(key.text.suffix(4))"),
            "status": .number(JSONNumber(key.isEnabled ? Status.enabled : Status.disabled)),
            "name": .string(key.name),
            "expired_time": .number(JSONNumber(key.expiresAtSeconds ?? -1)),
            "unlimited_quota": true,
        ]
    }
}
