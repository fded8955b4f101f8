/// What is under way at a moment, in numbers.
public struct BrokerActivity: Sendable {
    /// The mints of one account.
    public struct Mints: Sendable {
        /// Those whose provider is being asked.
        public internal(set) var running = 0
        /// Those that wait for one of the account's places.
        public internal(set) var queued = 0
    }

    /// By account, each of the definition's.
    public let mints: [Name: Mints]
    /// Callers that wait for an answer.
    public let waiters: Int
}

extension TokenTable {
    /// The mints under way of each account. Takes as long as there are flights, not as there are tokens.
    var mintsUnderWay: [Name: BrokerActivity.Mints] {
        var mints = definition.providers.mapValues { _ in BrokerActivity.Mints() }
        for key in flights.values {
            guard let provider = definition.tokens[key.name]?.provider, let flight = entries[key]?.flight else {
                continue
            }
            if flight.isRunning { mints[provider]?.running += 1 } else { mints[provider]?.queued += 1 }
        }
        return mints
    }
}
