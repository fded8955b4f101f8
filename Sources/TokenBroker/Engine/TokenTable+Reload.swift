// What becomes of cached tokens when the configuration changes.

extension TokenTable {
    /// Takes a new definition: tokens whose making did not change keep what they have.
    ///
    /// A secret whose value is another now is told by ``keyChanged(_:to:proofs:isUrgent:at:)``.
    mutating func reload(_ newDefinition: BrokerDefinition, at now: Moment) {
        let old = definition
        for key in entries.keys.sorted() where newDefinition.origin(of: key.name) != old.origin(of: key.name) {
            if let provider = old.tokens[key.name]?.provider { cancelFlight(of: key, provider: provider, at: now) }
            forget(key)
        }
        definition = newDefinition
        for (name, provider) in newDefinition.providers
        where old.providers[name] != provider {
            forgetSetbacks(of: name)
            renewEndless(of: name, at: now)
        }
        for key in entries.keys { schedule(key, at: now) }
        addShared(at: now)
    }

    /// A credential without an end is the key: another key is another credential.
    mutating func renewEndless(of provider: Name, at now: Moment) {
        for key in keys(of: provider) where entries[key]?.current?.isEndless == true {
            join(key, purpose: .renewal, at: now)
        }
    }

    /// What failed under the old settings or the old key says nothing about the new ones.
    mutating func forgetSetbacks(of provider: Name) {
        if accounts[provider]?.setback != nil { dropHold(of: provider) }
        accounts[provider]?.setback = nil
        for key in keys(of: provider) {
            if let flight = entries[key]?.flight, !flight.isEnding {
                entries[key]?.flight?.isOutdated = flight.isRunning
            } else {
                entries[key]?.setback = nil
            }
        }
    }
}
