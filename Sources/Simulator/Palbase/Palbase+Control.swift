internal import JSON

extension Palbase {
    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        switch action {
        case "sessions": return try beginSession(members)
        case "revoke": return ["revoked": .number(JSONNumber(Int64(try revoke(members))))]
        case "keys":
            try changeKeys(members)
            return ["keys": .number(JSONNumber(Int64(keys.count)))]
        default: return nil
        }
    }

    private func beginSession(_ members: JSONObject) throws(ControlRefusal) -> JSONValue {
        var texts: [String: String] = [:]
        var lifetime = Self.defaultRefreshLifetimeSeconds
        for member in members.members {
            switch member.name {
            case "refresh_token", "project", "subject":
                guard let text = member.value.string, !text.isEmpty else {
                    throw ControlRefusal("\(member.name) takes text")
                }
                texts[member.name] = text
            case "expires_in":
                let span = Knob.longestSpanSeconds
                guard let seconds = member.value.number?.int64, (-span...span).contains(seconds) else {
                    throw ControlRefusal("expires_in takes seconds")
                }
                lifetime = seconds
            default: throw ControlRefusal("sessions takes refresh_token, project, subject and expires_in")
            }
        }
        let session = RefreshTokens.Session(
            id: "session_" + RandomText.hexadecimal(bytes: 8),
            project: texts["project"] ?? "demo",
            subject: texts["subject"] ?? "user_" + RandomText.hexadecimal(bytes: 8)
        )
        let token = texts["refresh_token"] ?? RandomText.hexadecimal(bytes: 32)
        let now = wallMilliseconds()
        guard refreshTokens.begin(session, token, nowMilliseconds: now, expiresAt: now + lifetime * 1000) else {
            throw ControlRefusal("there is such a refresh token already")
        }
        return [
            "session": .string(session.id), "subject": .string(session.subject), "refresh_token": .string(token),
        ]
    }

    private func revoke(_ members: JSONObject) throws(ControlRefusal) -> Int {
        if members.members.isEmpty { return accessTokens.revokeAll() }
        guard members.members.count == 1, let member = members.members.first, let text = member.value.string else {
            throw ControlRefusal("revoke takes session or token, or nothing for all access tokens")
        }
        switch member.name {
        case "token": return accessTokens.revoke(text)
        case "session":
            guard let session = refreshTokens.revokeSession(text) else { throw ControlRefusal("no such session") }
            accessTokens.revokeAll(for: session)
            return 1
        default: throw ControlRefusal("revoke takes session or token")
        }
    }

    private func changeKeys(_ members: JSONObject) throws(ControlRefusal) {
        guard members.members.count == 1, let member = members.members.first,
            let key = member.value.string.flatMap(ProjectKey.init)
        else { throw ControlRefusal("keys takes add or revoke, with a key pb_REF_c... or pb_REF_s...") }
        switch member.name {
        case "add":
            keys.insert(key)
            revokedKeys.remove(key)
        case "revoke":
            if keys.remove(key) != nil { revokedKeys.insert(key) }
        default: throw ControlRefusal("keys takes add or revoke")
        }
    }
}
