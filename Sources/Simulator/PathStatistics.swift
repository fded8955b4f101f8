internal import JSON

/// What has come in at one path of a provider.
struct PathStatistics {
    var requests: Int64 = 0
    private var mints: Int64 = 0
    private var refused: Int64 = 0

    mutating func count(_ outcome: ProviderAnswer.Outcome) {
        switch outcome {
        case .minted: mints += 1
        case .refused: refused += 1
        case .other: break
        }
    }

    var json: JSONValue {
        [
            "requests": .number(JSONNumber(requests)),
            "mints": .number(JSONNumber(mints)),
            "refused": .number(JSONNumber(refused)),
        ]
    }
}
