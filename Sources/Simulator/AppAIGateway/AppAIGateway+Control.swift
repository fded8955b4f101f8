internal import JSON

extension AppAIGateway {
    /// - `POST keys`, without a body: all keys, whole. With `{"app": APP, "add": KEY}`, `{"revoke": KEY}` or
    ///   `{"restore": KEY}`: changes one first. A revoked key's tokens are refused with it.
    /// - `POST users` with `{"block": USER}`, `{"unblock": USER}`, `{"withhold_claims": USER}` or
    ///   `{"grant_claims": USER}`.
    /// - `POST apps` with `{"disable": APP}` or `{"enable": APP}`.
    /// - `POST settings`: changes the members that the body names; see ``GatewaySettings``.
    /// - `POST revoke` with `{"token": TOKEN}`, or without a body for all tokens.
    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        switch action {
        case "keys":
            if !members.members.isEmpty { try changeKeys(members) }
            return ["keys": .array(keys.all.map(\.controlJSON))]
        case "users":
            try changeUsers(members)
            return ["blocked": .array(blockedUsers.sorted().map(JSONValue.string))]
        case "apps":
            try changeApps(members)
            return ["apps": .array(apps.map { ["id": .string($0.id), "disabled": .bool($0.isDisabled)] })]
        case "settings":
            try settings.update(members)
            return settings.json
        case "revoke":
            if members.members.isEmpty { return ["revoked": .number(JSONNumber(Int64(tokens.revokeAll())))] }
            let token = try members.order("revoke", ["token"]).operand
            return ["revoked": .number(JSONNumber(Int64(tokens.revoke(token))))]
        default:
            return nil
        }
    }

    private func changeKeys(_ members: JSONObject) throws(ControlRefusal) {
        if let text = members["add"]?.string, let app = members["app"]?.string, members.members.count == 2 {
            guard GatewayKeys.isWellFormed(text), !keys.all.contains(where: { $0.text == text }),
                apps.contains(where: { $0.id == app })
            else { throw ControlRefusal("add takes a new key, agw_ and 48 letters or digits, and an app that exists") }
            keys.add(text, to: app, name: "added")
            return
        }
        let order = try members.order("keys", ["revoke", "restore"])
        guard keys.setRevoked(order.name == "revoke", where: { $0.text == order.operand }) != nil else {
            throw ControlRefusal("there is no such key")
        }
    }

    private func changeUsers(_ members: JSONObject) throws(ControlRefusal) {
        let order = try members.order("users", ["block", "unblock", "withhold_claims", "grant_claims"])
        switch order.name {
        case "block": blockedUsers.insert(order.operand)
        case "unblock": blockedUsers.remove(order.operand)
        case "withhold_claims": usersWithoutClaims.insert(order.operand)
        default: usersWithoutClaims.remove(order.operand)
        }
    }

    private func changeApps(_ members: JSONObject) throws(ControlRefusal) {
        let order = try members.order("apps", ["disable", "enable"])
        guard let index = apps.firstIndex(where: { $0.id == order.operand }) else {
            throw ControlRefusal("there is no such app")
        }
        apps[index].isDisabled = order.name == "disable"
    }
}

extension GatewayKeys.Key {
    fileprivate var controlJSON: JSONValue {
        [
            "id": .string(id), "app": .string(app), "key": .string(text),
            "status": .string(isRevoked ? "revoked" : "active"),
        ]
    }
}
