internal import TokenBroker

/// A look through one chain, a page at a time: rows may be added and pruned between two pages.
struct AuditWalk {
    let auditClass: AuditClass
    private(set) var report: AuditChainReport
    /// The row that was looked at last, or the anchor.
    private(set) var place: AuditLink?

    init(_ auditClass: AuditClass) {
        self.auditClass = auditClass
        report = AuditChainReport(auditClass)
    }

    /// Takes note of how the chain is now. Rows that were pruned since the page before are not missed.
    mutating func look(at chain: AuditChain) {
        report.pruned = chain.anchor.count
        report.prunedThrough = chain.anchor.count > 0 ? chain.anchor.sequence : nil
        report.head = AuditHead(auditClass, chain.head)
        if (place?.sequence ?? .min) < chain.anchor.sequence || place == nil {
            place = chain.anchor
            report.rows = 0
            report.first = nil
        }
    }

    /// - Parameter isWhole: whether the row is as it was written, and follows the one before it.
    mutating func take(_ row: AuditChainRow, isWhole: Bool) {
        if !isWhole { found(.row(row.sequence)) }
        report.rows += 1
        report.first = report.first ?? row.sequence
        report.last = row.sequence
        place = AuditLink(sequence: row.sequence, mac: row.mac)
    }

    /// There is no row behind the last one.
    mutating func end(at head: AuditLink) {
        if place?.sequence != head.sequence || place?.mac != head.mac { found(.end(head.sequence)) }
    }

    /// Only the first fault is told: those behind it may come of it.
    mutating func found(_ fault: AuditChainReport.Fault) {
        report.fault = report.fault ?? fault
    }
}

extension Vault {
    /// Looks at the next page.
    ///
    /// - Returns: whether there are no more.
    func advance(_ walk: inout AuditWalk, limit: Int = Vault.auditPage) throws(StoreError) -> Bool {
        let chains = try auditChains()
        if chains.isLost { walk.found(.record) }
        let chain = chains[walk.auditClass]
        if walk.place == nil, let stray = try auditRows(of: walk.auditClass, after: .min, limit: 1).first,
            stray.sequence <= chain.anchor.sequence
        {
            walk.found(.row(stray.sequence))
        }
        walk.look(at: chain)
        let rows = try auditRows(of: walk.auditClass, after: walk.place?.sequence ?? 0, limit: limit)
        for row in rows { walk.take(row, isWhole: isWhole(row, after: walk.place?.mac ?? [])) }
        guard rows.count < limit else { return false }
        walk.end(at: chain.head)
        return true
    }

    private func isWhole(_ row: AuditChainRow, after previous: [UInt8]) -> Bool {
        guard let payload = row.payload(keys) else { return false }
        return row.mac == keys.auditMAC(of: payload, as: row.identity, after: previous)
    }

    /// The first row of a class that there is not, which no chain has.
    func strayAuditRow() throws(StoreError) -> Int64? {
        let classes = AuditClass.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let select = "SELECT sequence FROM audit WHERE class NOT IN (\(classes)) ORDER BY sequence LIMIT 1"
        return try database.first(select) { $0.integer(0) }
    }

    /// Whether the row that a head tells of is there; one that was pruned since cannot be asked about any more.
    func holds(_ head: AuditHead) throws(StoreError) -> Bool {
        let anchor = try auditChains()[head.auditClass].anchor
        if head.sequence < anchor.sequence { return true }
        if head.sequence == anchor.sequence { return head.mac == anchor.mac }
        let mac = try database.first(
            "SELECT mac FROM audit WHERE class = ?1 AND sequence = ?2",
            .text(head.auditClass.rawValue),
            .integer(head.sequence),
            body: { $0.blob(0) }
        )
        return mac == head.mac
    }
}
