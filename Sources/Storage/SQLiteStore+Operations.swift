public import TokenBroker

// Each operation of the port is one reading or one transaction.

extension SQLiteStore {
    public func restore() throws(StoreError) -> RestoredState {
        try read { (vault) throws(StoreError) in
            RestoredState(
                tokens: try vault.rows(TokenRow.self) { Stamped($0.token, $0.stamp) },
                holds: try vault.rows(HoldRow.self) { Stamped($0.hold, $0.stamp) },
                newestWrite: try vault.newestWrite(),
                isBehind: isBehind
            )
        }
    }

    // MARK: Tokens and holds

    public func save(_ token: StoredToken) throws(StoreError) {
        let stamp = stamp()
        try write(.ordinary) { (vault) throws(StoreError) in
            try vault.save(TokenRow(token, stamp), at: stamp.writtenAt)
        }
    }

    public func removeToken(_ key: StoredTokenKey) throws(StoreError) {
        try write(.ordinary) { (vault) throws(StoreError) in
            _ = try vault.remove(TokenRow.self, scope: key.name.text, key: TokenRow.key(key))
        }
    }

    public func save(_ hold: StoredHold) throws(StoreError) {
        let stamp = stamp()
        try write(.ordinary) { (vault) throws(StoreError) in
            try vault.save(HoldRow(hold, stamp), at: stamp.writtenAt)
        }
    }

    public func removeHold(_ key: HoldKey) throws(StoreError) {
        try write(.ordinary) { (vault) throws(StoreError) in
            _ = try vault.remove(HoldRow.self, scope: key.account.text, key: key.endpoint)
        }
    }

    // MARK: Generations

    public func reserveGenerations(
        _ count: Int64,
        above floor: Generation
    ) throws(StoreError) -> GenerationBlock {
        precondition(count > 0, "an empty block")
        let last = try write(.durable) { (vault) throws(StoreError) in
            try vault.advance("generation", by: count, above: max(floor.number, 0))
        }
        return GenerationBlock(first: Generation(last - count + 1), count: count)
    }

    // MARK: Versioned records

    public func record(_ id: RecordID) throws(StoreError) -> VersionedRecord? {
        try read { (vault) throws(StoreError) in try vault.record(id) }
    }

    public func records(of kind: RecordID.Kind) throws(StoreError) -> [VersionedRecord] {
        try read { (vault) throws(StoreError) in
            try vault.rows(RecordRow.self, scope: kind.rawValue, \.record)
        }
    }

    public func write(
        _ payload: Secret,
        to id: RecordID,
        expecting expected: RecordVersion?,
        _ durability: Durability
    ) throws(StoreError) -> VersionedRecord {
        let now = ports.clock.now().wall
        return try write(durability) { (vault) throws(StoreError) in
            try vault.check(id, isAt: expected)
            return try vault.write(payload, to: id, at: now)
        }
    }

    public func remove(
        _ id: RecordID,
        expecting expected: RecordVersion,
        _ durability: Durability
    ) throws(StoreError) {
        try write(durability) { (vault) throws(StoreError) in
            try vault.check(id, isAt: expected)
            _ = try vault.remove(RecordRow.self, scope: id.kind.rawValue, key: id.key)
        }
    }

    public func apply(
        _ changes: [RecordChange],
        _ durability: Durability
    ) throws(StoreError) -> [RecordChange.Result] {
        let now = ports.clock.now().wall
        return try write(durability) { (vault) throws(StoreError) in
            var results: [RecordChange.Result] = []
            for change in changes { results.append(try vault.apply(change, at: now)) }
            return results
        }
    }

    /// Whether a record of this kind that is not found may have been there: one does not decrypt, or a damaged store of
    /// this path was put aside, now or before another start, and nobody has taken it away.
    public func mayHaveLost(_ kind: RecordID.Kind) throws(StoreError) -> Bool {
        let isUnreadable = try read { (vault) throws(StoreError) in
            let rows = try vault.count(RecordRow.self, scope: kind.rawValue)
            return try rows > vault.rows(RecordRow.self, scope: kind.rawValue, \.version).count
        }
        if isUnreadable || health.setAsidePath != nil { return true }
        return try StoreFile(path: settings.path).hasPredecessor()
    }

    // MARK: Leases

    public func takeLease(
        on key: String,
        by holder: String,
        for duration: Duration
    ) throws(StoreError) -> Lease? {
        let now = ports.clock.now().boot
        return try write(.ordinary) { (vault) throws(StoreError) in
            try vault.takeLease(on: key, by: holder, until: now.advanced(by: duration), at: now, ports.bootID)
        }
    }

    public func renew(_ lease: Lease, for duration: Duration) throws(StoreError) -> Bool {
        let now = ports.clock.now().boot
        return try write(.ordinary) { (vault) throws(StoreError) in
            try vault.renew(lease, until: now.advanced(by: duration), at: now, ports.bootID)
        }
    }

    public func release(_ lease: Lease) throws(StoreError) {
        try write(.ordinary) { (vault) throws(StoreError) in try vault.release(lease) }
    }

    private func stamp() -> WriteStamp {
        WriteStamp(bootID: ports.bootID, writtenAt: ports.clock.now().wall)
    }
}

extension Vault {
    fileprivate func record(_ id: RecordID) throws(StoreError) -> VersionedRecord? {
        try row(RecordRow.self, scope: id.kind.rawValue, key: id.key)?.record
    }

    fileprivate func check(_ id: RecordID, isAt expected: RecordVersion?) throws(StoreError) {
        guard try record(id)?.version == expected else {
            throw StoreError(.conflict, "the \(id.kind.rawValue) was written by somebody else meanwhile")
        }
    }

    fileprivate func write(
        _ payload: Secret,
        to id: RecordID,
        at now: WallInstant
    ) throws(StoreError) -> VersionedRecord {
        let record = VersionedRecord(id: id, version: RecordVersion(try advance("record")), payload: payload)
        try save(RecordRow(record), at: now)
        return record
    }

    fileprivate func apply(
        _ change: RecordChange,
        at now: WallInstant
    ) throws(StoreError) -> RecordChange.Result {
        guard try record(change.id)?.version == change.expected else { return .conflict }
        if let payload = change.payload { return .written(try write(payload, to: change.id, at: now).version) }
        _ = try remove(RecordRow.self, scope: change.id.kind.rawValue, key: change.id.key)
        return .removed
    }

    /// A row that somebody dated into the future only makes the calendar clock be doubted, which is the safe side.
    fileprivate func newestWrite() throws(StoreError) -> WallInstant? {
        let newest = try database.first(
            """
            SELECT max(written_at) FROM (SELECT written_at FROM tokens UNION ALL SELECT written_at FROM holds
                UNION ALL SELECT written_at FROM records)
            """
        ) { $0.isNull(0) ? nil : WallInstant(milliseconds: $0.integer(0)) }
        return newest ?? nil
    }
}
