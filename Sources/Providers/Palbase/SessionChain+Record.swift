internal import JSON
internal import TokenBroker

// How the chains are kept: one JSON object, which the store encrypts. It is the present chain's, with the others in it.

extension SessionChains {
    private static let others = "others"

    /// - Returns: nil for a payload that this version did not write.
    init?(payload: Secret) {
        guard let document = payload.withBytes({ try? JSONValue(parsing: $0) }),
            let present = SessionChain(document)
        else { return nil }
        let others = document[Self.others]?.array ?? []
        self.init([present] + others.compactMap { SessionChain($0) })
    }

    var payload: Secret {
        var document = present?.json ?? [:]
        let others = all.dropFirst().map { JSONValue.object($0.json) }
        if !others.isEmpty { document[Self.others] = .array(others) }
        return Secret(JSONValue.object(document).serialized())
    }
}

extension SessionChain {
    fileprivate init?(_ document: JSONValue) {
        guard let seed = document["seed"]?.string, let state = State(document) else { return nil }
        let accessEnd = document["access_end"].flatMap { KeptMoment($0) }
        guard accessEnd != nil || document["access_end"] == nil else { return nil }
        self.init(seed: SeedFingerprint(text: seed), state: state, accessEnd: accessEnd)
    }

    fileprivate var json: JSONObject {
        var document: JSONObject = ["seed": .string(seed.text)]
        switch state {
        case .unspent(let token):
            document["state"] = "unspent"
            document["token"] = .string(token.revealed)
        case .spending(let token, let spend):
            document["state"] = "spending"
            document["token"] = .string(token.revealed)
            document["key"] = .string(spend.key.text)
            document["since"] = spend.since.json
        case .lost:
            document["state"] = "lost"
        }
        document["access_end"] = accessEnd?.json
        return document
    }
}

extension SessionChain.State {
    fileprivate init?(_ document: JSONValue) {
        let token = document["token"]?.string.flatMap { TokenText($0) }
        switch (document["state"]?.string, token) {
        case ("unspent", let token?):
            self = .unspent(token)
        case ("spending", let token?):
            guard let key = document["key"]?.string, let since = document["since"].flatMap({ KeptMoment($0) }) else {
                return nil
            }
            self = .spending(token, SessionChain.Spend(key: IdempotencyKey(text: key), since: since))
        case ("lost", nil):
            self = .lost
        default:
            return nil
        }
    }
}

extension KeptMoment {
    fileprivate init?(_ json: JSONValue) {
        guard let boot = json["boot_ns"]?.number?.int64, let wall = json["wall_ms"]?.number?.int64 else { return nil }
        self.init(
            moment: Moment(boot: BootInstant(nanoseconds: boot), wall: WallInstant(milliseconds: wall)),
            bootID: json["boot_id"]?.string.map { BootID($0) }
        )
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "boot_ns": .number(JSONNumber(moment.boot.nanoseconds)),
            "wall_ms": .number(JSONNumber(moment.wall.milliseconds)),
        ]
        object["boot_id"] = (bootID?.text).map { .string($0) }
        return .object(object)
    }
}
