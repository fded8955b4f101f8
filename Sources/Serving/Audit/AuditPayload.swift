internal import JSON
internal import TokenBroker

/// An event as a row of the store has it: JSON, which a later version can read whatever it adds.
enum AuditPayload {
    /// Of one text: an error of another system can be long.
    private static let longestText = 1024

    static func bytes(of event: AuditEvent) -> [UInt8] {
        var document: JSONObject = [
            "kind": .string(event.kind.rawValue), "action": .string(event.action), "outcome": .string(event.outcome),
        ]
        if let subject = event.subject { document["subject"] = .string(cut(subject)) }
        if let detail = event.detail { document["detail"] = .string(cut(detail)) }
        if let actor = event.actor {
            document["uid"] = .number(JSONNumber(Int64(actor.uid)))
            document["pid"] = .number(JSONNumber(Int64(actor.pid)))
        }
        if let unit = event.actor?.unit { document["unit"] = .string(unit) }
        if event.count != 1 { document["count"] = .number(JSONNumber(Int64(event.count))) }
        return JSONValue.object(document).serialized()
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= longestText ? text : String(decoding: text.utf8.prefix(longestText), as: UTF8.self)
    }
}
