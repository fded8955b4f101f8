internal import JSON
internal import TokenBroker

extension Examination {
    /// The answer to `POST /v1/examination`.
    var json: JSONValue {
        [
            "process": process.map(\.json) ?? nil,
            "unseen": unseen.json,
            "sockets": sockets.json,
            "connections_per_uid": .number(JSONNumber(Int64(connectionsPerUID))),
            "configuration_problems": .array(configurationProblems.map(JSONValue.string)),
            "secrets": .array(secrets.map(\.json)),
            "providers": .array(providers.map(\.json)),
        ]
    }
}

extension Examination.Process {
    fileprivate var json: JSONValue {
        [
            "uid": .number(JSONNumber(Int64(uid))),
            "gid": .number(JSONNumber(Int64(gid))),
            "may_gain_privileges": .bool(mayGainPrivileges),
            "may_call_everything": .bool(mayCallEverything),
            "has_capabilities": .bool(hasCapabilities),
            "traceable": .bool(isTraceable),
            "open_files": .number(JSONNumber(Int64(clamping: openFiles))),
        ]
    }
}

extension Examination.Unseen {
    fileprivate var json: JSONValue {
        [
            "users": .array(users.map { .number(JSONNumber(Int64($0))) }),
            "groups": .array(groups.map { .number(JSONNumber(Int64($0))) }),
            "processes": .bool(processes),
            "boot": .bool(boot),
        ]
    }
}

extension Examination.Sockets {
    fileprivate var json: JSONValue {
        [
            "apps": .string(apps),
            "admin": .string(admin),
            "admin_group": adminGroup.map { .number(JSONNumber(Int64($0))) } ?? nil,
            "admin_users": .array(adminUsers.map { .number(JSONNumber(Int64($0))) }),
        ]
    }
}

extension Examination.Secret {
    fileprivate var json: JSONValue {
        [
            "name": .string(name.text),
            "fault": fault.map { ["text": .string($0.text), "remedy": .string($0.remedy)] } ?? nil,
        ]
    }
}

extension Examination.Provider {
    fileprivate var json: JSONValue {
        var document: JSONObject = ["name": .string(name.text), "origin": .string(origin)]
        switch result {
        case .reached(let duration, let clockSkew):
            document["milliseconds"] = .number(JSONNumber(duration.saturatedMilliseconds))
            document["clock_skew_ms"] = clockSkew.map { .number(JSONNumber($0.saturatedMilliseconds)) } ?? .null
        case .failed(let code, let text):
            document["failure"] = ["code": .string(code), "text": .string(text)]
        }
        return .object(document)
    }
}
