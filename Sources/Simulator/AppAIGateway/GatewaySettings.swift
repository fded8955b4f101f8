internal import HTTPWire
internal import JSON

/// What an operator of the gateway decides, and how the world around it is.
struct GatewaySettings {
    /// How many requests a minute each of an app's endpoints below `auth` takes.
    var exchangesPerMinute: Int64 = 60
    /// Where the issuer's keys cannot be fetched, no issuer token is judged.
    var issuerAvailable = true
    /// What an exchange says in `verify_on`; nothing where it is nil.
    var verifyOn: String?
    /// Gateway tokens of a form that says nothing.
    var opaqueTokens = false
    /// How many keys of an app may work at once; any number where it is nil.
    var activeKeysPerApp: Int64?
    /// The field that names the user, in the app that has one.
    var endUserHeader = "x-end-user-id"

    /// Takes what the document names; changes nothing where it throws.
    mutating func update(_ members: JSONObject) throws(ControlRefusal) {
        var updated = self
        for member in members.members {
            guard updated.set(member.name, member.value) else {
                throw ControlRefusal("settings has no such member, or not with such a value: \(member.name)")
            }
        }
        self = updated
    }

    private mutating func set(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("exchanges_per_minute", .number(let number)):
            guard let limit = number.int64, limit >= 0 else { return false }
            exchangesPerMinute = limit
        case ("issuer_available", .bool(let bool)): issuerAvailable = bool
        case ("opaque_tokens", .bool(let bool)): opaqueTokens = bool
        case ("verify_on", .string("every_request")), ("verify_on", .string("token_exchange")): verifyOn = value.string
        case ("verify_on", .null): verifyOn = nil
        case ("active_keys_per_app", .number(let number)):
            guard let limit = number.int64, limit >= 0 else { return false }
            activeKeysPerApp = limit
        case ("active_keys_per_app", .null): activeKeysPerApp = nil
        case ("end_user_header", .string(let header)) where (try? HeaderField(header, "")) != nil:
            endUserHeader = header
        default: return false
        }
        return true
    }

    var json: JSONValue {
        [
            "exchanges_per_minute": .number(JSONNumber(exchangesPerMinute)),
            "issuer_available": .bool(issuerAvailable),
            "verify_on": verifyOn.map(JSONValue.string) ?? .null,
            "opaque_tokens": .bool(opaqueTokens),
            "active_keys_per_app": activeKeysPerApp.map { .number(JSONNumber($0)) } ?? .null,
            "end_user_header": .string(endUserHeader),
        ]
    }
}
