internal import TokenBroker

extension Vault {
    func appendAudit(_ entries: [AuditEntry], _ limits: AuditLimits) throws(StoreError) -> Int64 {
        var chains = try auditChains()
        let count = Int64(entries.count)
        // Above a row that somebody renumbered too: it would be in the way.
        let newest = try database.first("SELECT max(sequence) FROM audit") { $0.integer(0) } ?? 0
        let floor = max(newest, chains.lastSequence)
        let last = try advance(Self.auditCounter, by: count, above: floor)
        for (index, entry) in entries.enumerated() {
            let sequence = last - count + 1 + Int64(index)
            let identity = AuditChainRow.identity(sequence, entry.auditClass.rawValue, at: entry.at)
            let head = chains[entry.auditClass].head
            let mac = keys.auditMAC(of: entry.payload, as: identity, after: head.mac)
            try database.run(
                "INSERT INTO audit (\(AuditChainRow.columns)) VALUES (?1, ?2, ?3, ?4, ?5)",
                .integer(sequence),
                .text(entry.auditClass.rawValue),
                .integer(entry.at.milliseconds),
                .blob(keys.seal(Plaintext(bare: entry.payload), as: identity)),
                .blob(mac)
            )
            chains[entry.auditClass].head = AuditLink(sequence: sequence, mac: mac, count: head.count + 1)
        }
        for auditClass in Set(entries.map(\.auditClass)) {
            try prune(auditClass, &chains[auditClass], to: limits[auditClass])
        }
        try save(chains, keys)
        return last
    }

    func auditRows(after sequence: Int64, since earliest: WallInstant?, limit: Int) throws(StoreError) -> [AuditRow] {
        try database.all(
            """
            SELECT \(AuditChainRow.columns) FROM audit WHERE sequence > ?1 AND written_at >= ?2
            ORDER BY sequence LIMIT ?3
            """,
            .integer(sequence),
            .integer(earliest?.milliseconds ?? .min),
            .integer(Int64(limit)),
            body: { AuditChainRow($0) }
        )
        .map { AuditRow(sequence: $0.sequence, at: $0.writtenAt, payload: $0.payload(keys)) }
    }

    func auditHeads() throws(StoreError) -> [AuditHead] {
        let chains = try auditChains()
        return AuditClass.allCases.compactMap { AuditHead($0, chains[$0].head) }
    }

    /// The oldest rows make room; the anchor stands for them from now on.
    private func prune(
        _ auditClass: AuditClass,
        _ chain: inout AuditChain,
        to limit: Int64
    ) throws(StoreError) {
        let excess = chain.rows - limit
        guard excess > 0 else { return }
        let count = chain.anchor.count + excess
        let anchor = try database.first(
            "SELECT sequence, mac FROM audit WHERE class = ?1 ORDER BY sequence LIMIT 1 OFFSET ?2",
            .text(auditClass.rawValue),
            .integer(excess - 1),
            body: { AuditLink(sequence: $0.integer(0), mac: $0.blob(1), count: count) }
        )
        // Where somebody took rows out there may be too few.
        guard let anchor else { return }
        chain.anchor = anchor
        try database.run(
            "DELETE FROM audit WHERE class = ?1 AND sequence <= ?2",
            .text(auditClass.rawValue),
            .integer(anchor.sequence)
        )
    }

    // MARK: The record of the chains

    private static let auditCounter = "audit"

    /// Where there is no record that can be read: an empty one before the first row, and after it one that says so.
    func auditChains() throws(StoreError) -> AuditChains {
        if let sealed = try database.first("SELECT sealed FROM audit_chains", body: { $0.blob(0) }),
            let plaintext = try? keys.open(sealed, as: AuditChains.identity),
            let chains = plaintext.withBytes({ bytes in
                var reader = PlaintextReader(bytes)
                return try? AuditChains(&reader)
            })
        {
            return chains
        }
        let hadRows = try database.first(
            """
            SELECT 1 FROM counters WHERE name = ?1 UNION ALL SELECT 1 FROM audit UNION ALL SELECT 1 FROM audit_chains
            LIMIT 1
            """,
            .text(Self.auditCounter),
            body: { _ in true }
        )
        var chains = AuditChains()
        chains.isLost = hadRows ?? false
        return chains
    }

    func save(_ chains: AuditChains, _ keys: KeyRing) throws(StoreError) {
        try database.run("DELETE FROM audit_chains")
        try database.run(
            "INSERT INTO audit_chains (sealed) VALUES (?1)",
            .blob(keys.seal(chains.plaintext, as: AuditChains.identity))
        )
    }
}

extension AuditHead {
    /// Nil for a chain that never had a row.
    init?(_ auditClass: AuditClass, _ head: AuditLink) {
        guard head.count > 0 else { return nil }
        self.init(auditClass, sequence: head.sequence, mac: head.mac)
    }
}
