public import TokenBroker

extension SQLiteStore: AuditStore {
    @discardableResult
    public func appendAudit(_ entries: [AuditEntry]) throws(StoreError) -> Int64? {
        guard !entries.isEmpty else { return nil }
        let limits = settings.auditLimits
        return try write(.ordinary) { (vault) throws(StoreError) in try vault.appendAudit(entries, limits) }
    }

    public func auditRows(
        after sequence: Int64,
        since earliest: WallInstant?,
        limit: Int
    ) throws(StoreError) -> [AuditRow] {
        try read { (vault) throws(StoreError) in try vault.auditRows(after: sequence, since: earliest, limit: limit) }
    }

    public func auditHeads() throws(StoreError) -> [AuditHead] {
        try read { (vault) throws(StoreError) in try vault.auditHeads() }
    }

    /// All rows take a second or more: between two pages whatever else waits for the store has its turn.
    public func verifyAudit(against heads: [AuditHead]) async throws(StoreError) -> [AuditChainReport] {
        var reports: [AuditChainReport] = []
        for auditClass in AuditClass.allCases {
            var walk = AuditWalk(auditClass)
            while try !advance(&walk) { await Task.yield() }
            for head in heads where head.auditClass == auditClass {
                if try !read({ (vault) throws(StoreError) in try vault.holds(head) }) { walk.found(.head(head)) }
            }
            reports.append(walk.report)
        }
        // It has no chain of its own to be told with; the first is that of what people decided.
        if let stray = try read({ (vault) throws(StoreError) in try vault.strayAuditRow() }) {
            reports[0].fault = reports[0].fault ?? .stray(stray)
        }
        return reports
    }

    private func advance(_ walk: inout AuditWalk) throws(StoreError) -> Bool {
        try read { (vault) throws(StoreError) in try vault.advance(&walk) }
    }
}
