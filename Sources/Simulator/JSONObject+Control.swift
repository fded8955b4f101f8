internal import JSON

extension JSONObject {
    /// The one member of a control request that says what to do, and to what: `{"revoke": "KEY"}`.
    func order(_ action: String, _ names: [String]) throws(ControlRefusal) -> (name: String, operand: String) {
        guard members.count == 1, let member = members.first, names.contains(member.name),
            let operand = member.value.string, !operand.isEmpty
        else { throw ControlRefusal("\(action) takes one of \(names.joined(separator: ", ")), with text") }
        return (member.name, operand)
    }
}
