internal import TokenBroker

extension Vault {
    /// How many rows are in memory at once while all are looked at.
    static let auditPage = 500

    /// Encrypts all rows under `newKeys` and makes the chains anew with them.
    ///
    /// A row that was not as it was written, or did not follow the one before it, keeps its old code, which is as wrong
    /// under the new key: replacing the key forgives nothing.
    func reencryptAudit(under newKeys: KeyRing) throws(StoreError) {
        var chains = try auditChains()
        for auditClass in AuditClass.allCases {
            try reencrypt(auditClass, &chains[auditClass], under: newKeys)
        }
        try save(chains, newKeys)
    }

    private func reencrypt(
        _ auditClass: AuditClass,
        _ chain: inout AuditChain,
        under newKeys: KeyRing
    ) throws(StoreError) {
        var sequence = Int64.min
        var (old, new) = (chain.anchor.mac, chain.anchor.mac)
        while true {
            let rows = try auditRows(of: auditClass, after: sequence, limit: Self.auditPage)
            guard let last = rows.last else { break }
            sequence = last.sequence
            for row in rows {
                let previous = (old, new)
                (old, new) = (row.mac, row.mac)
                guard let payload = row.payload(keys) else {
                    // Its number stands for the code that it does not have.
                    let number = withUnsafeBytes(of: row.sequence) { Array($0) }
                    unreadableRows.note(.audit, scope: row.auditClass, code: number)
                    continue
                }
                if row.mac == keys.auditMAC(of: payload, as: row.identity, after: previous.0) {
                    new = newKeys.auditMAC(of: payload, as: row.identity, after: previous.1)
                }
                try database.run(
                    "UPDATE audit SET sealed = ?2, mac = ?3 WHERE sequence = ?1",
                    .integer(row.sequence),
                    .blob(newKeys.seal(Plaintext(bare: payload), as: row.identity)),
                    .blob(new)
                )
            }
        }
        if chain.head.mac == old { chain.head.mac = new }
    }

    /// The rows of one class, in order.
    func auditRows(of auditClass: AuditClass, after sequence: Int64, limit: Int) throws(StoreError) -> [AuditChainRow] {
        try database.all(
            """
            SELECT \(AuditChainRow.columns) FROM audit WHERE class = ?1 AND sequence > ?2
            ORDER BY sequence LIMIT ?3
            """,
            .text(auditClass.rawValue),
            .integer(sequence),
            .integer(Int64(limit)),
            body: { AuditChainRow($0) }
        )
    }
}
