internal import JSON

extension OAuth2 {
    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        switch action {
        case "clients":
            try changeClients(members)
            return ["clients": .number(JSONNumber(Int64(clients.count)))]
        case "revoke":
            return ["revoked": .number(JSONNumber(Int64(try revoke(members))))]
        default:
            return nil
        }
    }

    private func changeClients(_ members: JSONObject) throws(ControlRefusal) {
        if members.members.map(\.name) == ["remove"], let id = members["remove"]?.string {
            clients[id] = nil
            return
        }
        guard let id = members["add"]?.string, !id.isEmpty, let secret = members["secret"]?.string else {
            throw ControlRefusal("clients takes add and secret, or remove")
        }
        var client = OAuth2Client(id: id, secret: secret)
        for member in members.members where member.name != "add" && member.name != "secret" {
            switch (member.name, member.value) {
            case ("allowed", .bool(let isAllowed)): client.isAllowed = isAllowed
            case ("scopes", .array(let scopes)) where scopes.allSatisfy({ $0.string != nil }):
                client.scopes = scopes.compactMap(\.string)
            default: throw ControlRefusal("clients takes add, secret, scopes (texts) and allowed (true|false)")
            }
        }
        clients[id] = client
    }

    private func revoke(_ members: JSONObject) throws(ControlRefusal) -> Int {
        if members.members.isEmpty { return tokens.revokeAll() }
        guard members.members.count == 1, let token = members["token"]?.string else {
            throw ControlRefusal("revoke takes token, or nothing for all tokens")
        }
        return tokens.revoke(token)
    }
}
