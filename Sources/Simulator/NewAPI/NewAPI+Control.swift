internal import JSON

extension NewAPI {
    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        guard action == "keys" else { return nil }
        if members.members.map(\.name) == ["revoke"] {
            keys[try key(members["revoke"])] = nil
        } else {
            try addKey(members)
        }
        return ["keys": .number(JSONNumber(Int64(keys.count)))]
    }

    private func addKey(_ members: JSONObject) throws(ControlRefusal) {
        let text = try key(members["add"])
        var (isSignatureRequired, bundles) = (true, Set<String>())
        for member in members.members where member.name != "add" {
            switch (member.name, member.value) {
            case ("signed", .bool(let isRequired)): isSignatureRequired = isRequired
            case ("bundle_ids", .array(let ids)) where ids.allSatisfy({ $0.string != nil }):
                bundles = Set(ids.compactMap(\.string))
            default: throw ControlRefusal("keys takes add, signed (true|false) and bundle_ids (texts), or revoke")
            }
        }
        addKey(text, name: "control")
        keys[text]?.isSignatureRequired = isSignatureRequired
        keys[text]?.bundles = bundles
    }

    private func key(_ value: JSONValue?) throws(ControlRefusal) -> String {
        guard let text = value?.string, text.wholeMatch(of: #/sk-[0-9A-Za-z]+/#) != nil else {
            throw ControlRefusal("keys takes add or revoke, with a key sk-... of letters and digits")
        }
        return RelayKey.text(in: text)
    }
}
