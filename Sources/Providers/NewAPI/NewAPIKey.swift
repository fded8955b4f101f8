internal import JSON
internal import TokenBroker

/// A key as new-api lists it: its text masked.
struct NewAPIKey {
    /// How the list begins and ends a key, at least, for it to be told by that.
    private static let shortestEnd = 4
    /// By what a key is limited. Its end is not among it: a key that is about to end is a reason to rotate it.
    private static let limits = [
        "unlimited_quota", "remain_quota", "model_limits_enabled", "model_limits", "allow_ips", "group",
        "cross_group_retry", "auto_groups",
    ]

    let id: String
    let name: String
    private let mask: String
    private let members: JSONObject

    /// - Returns: nil for what is none.
    init?(_ value: JSONValue) {
        guard let members = value.object, let id = members["id"]?.number?.int64, id >= 0 else { return nil }
        self.id = String(id)
        self.members = members
        name = members["name"]?.string ?? ""
        mask = members["key"]?.string ?? ""
    }

    /// Whether this is how `key` is listed.
    func isMasked(_ key: Secret?) -> Bool {
        let ends = mask.split(separator: "*")
        guard let key, ends.count == 2, ends.allSatisfy({ $0.utf8.count >= Self.shortestEnd }) else { return false }
        return key.withBytes { bytes in
            let text = bytes.starts(with: NewAPISigner.keyPrefix.utf8) ? bytes.dropFirst(3) : bytes[...]
            return text.starts(with: ends[0].utf8) && text.suffix(ends[1].utf8.count).elementsEqual(ends[1].utf8)
        }
    }

    /// The request for a key of that name, which may do what `model` may: anything where there is none.
    static func order(_ name: String, like model: NewAPIKey?) -> JSONValue {
        // -1 is how new-api writes that there is no end.
        var order: JSONObject = ["name": .string(name), "expired_time": -1, "unlimited_quota": true]
        for limit in limits {
            if let value = model?.members[limit] { order[limit] = value }
        }
        return .object(order)
    }
}
