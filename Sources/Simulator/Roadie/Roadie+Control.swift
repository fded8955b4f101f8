internal import JSON

extension Roadie {
    /// - `POST keys`, without a body: all keys. With `{"add": KEY}` or `{"revoke": KEY}`: changes one first.
    /// - `POST users` with `{"block": USER}`, `{"unblock": USER}`, `{"exhaust": USER}` or `{"refill": USER}`: an
    ///   exhausted one has no quota left.
    /// - `POST settings` with `{"requests_per_minute": N}`.
    /// - `POST revoke` with `{"token": TOKEN}`, or without a body for all tokens.
    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        switch action {
        case "keys":
            if !members.members.isEmpty { try changeKeys(members) }
            return ["keys": .array(keys.sorted().map(JSONValue.string))]
        case "users":
            try changeUsers(members)
            return [
                "blocked": .array(blockedUsers.sorted().map(JSONValue.string)),
                "exhausted": .array(exhaustedUsers.sorted().map(JSONValue.string)),
            ]
        case "settings":
            guard members.members.count == 1, let limit = members["requests_per_minute"]?.number?.int64, limit >= 0
            else { throw ControlRefusal("settings takes requests_per_minute, a number from 0") }
            requestsPerMinute = limit
            return .object(members)
        case "revoke":
            if members.members.isEmpty { return ["revoked": .number(JSONNumber(Int64(tokens.revokeAll())))] }
            let token = try members.order("revoke", ["token"]).operand
            return ["revoked": .number(JSONNumber(Int64(tokens.revoke(token))))]
        default:
            return nil
        }
    }

    private func changeKeys(_ members: JSONObject) throws(ControlRefusal) {
        let order = try members.order("keys", ["add", "revoke"])
        guard order.operand.hasPrefix("rd_sk_") || order.operand.hasPrefix("rd_pk_") else {
            throw ControlRefusal("keys takes a key that begins with rd_sk_ or rd_pk_")
        }
        if order.name == "add" { keys.insert(order.operand) } else { keys.remove(order.operand) }
    }

    private func changeUsers(_ members: JSONObject) throws(ControlRefusal) {
        let order = try members.order("users", ["block", "unblock", "exhaust", "refill"])
        switch order.name {
        case "block": blockedUsers.insert(order.operand)
        case "unblock": blockedUsers.remove(order.operand)
        case "exhaust": exhaustedUsers.insert(order.operand)
        default: exhaustedUsers.remove(order.operand)
        }
    }
}
