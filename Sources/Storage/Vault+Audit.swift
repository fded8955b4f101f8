internal import TokenBroker

// Rows of the audit log have no key but their number.

extension Vault {
    func appendAudit(_ payloads: [[UInt8]], at now: WallInstant) throws(StoreError) -> Int64 {
        let last = try advance("audit", by: Int64(payloads.count))
        let first = last - Int64(payloads.count) + 1
        for (sequence, payload) in zip(first..., payloads) {
            var plaintext = Plaintext(capacity: payload.count)
            plaintext.append(payload.count) { $0.copyBytes(from: payload) }
            try database.run(
                "INSERT INTO audit (version, written_at, sealed) VALUES (?1, ?2, ?3)",
                .integer(sequence),
                .integer(now.milliseconds),
                .blob(keys.seal(plaintext, as: Self.identity(sequence, writtenAt: now.milliseconds)))
            )
        }
        return last
    }

    func auditRows(after sequence: Int64, limit: Int) throws(StoreError) -> [AuditRow] {
        let rows = try database.all(
            "SELECT version, written_at, sealed FROM audit WHERE version > ?1 ORDER BY version LIMIT ?2",
            .integer(sequence),
            .integer(Int64(limit)),
            body: { SealedAuditRow($0) }
        )
        return rows.compactMap { row in
            guard let plaintext = try? keys.open(row.sealed, as: Self.identity(row.sequence, writtenAt: row.writtenAt))
            else {
                noteUnreadableRow()
                return nil
            }
            return AuditRow(sequence: row.sequence, payload: plaintext.withBytes { Array($0) })
        }
    }

    func reencryptAudit(under newKeys: KeyRing) throws(StoreError) {
        let rows = try database.all("SELECT version, written_at, sealed FROM audit", body: { SealedAuditRow($0) })
        for row in rows {
            let identity = Self.identity(row.sequence, writtenAt: row.writtenAt)
            guard let plaintext = try? keys.open(row.sealed, as: identity) else {
                noteUnreadableRow()
                continue
            }
            try database.run(
                "UPDATE audit SET sealed = ?2 WHERE version = ?1",
                .integer(row.sequence),
                .blob(newKeys.seal(plaintext, as: identity))
            )
        }
    }

    private static func identity(_ sequence: Int64, writtenAt: Int64) -> RowIdentity {
        RowIdentity(table: .audit, scope: "", code: [], version: sequence, writtenAtMilliseconds: writtenAt)
    }
}

private struct SealedAuditRow {
    let sequence: Int64
    let writtenAt: Int64
    let sealed: [UInt8]

    init(_ row: borrowing DatabaseRow) {
        sequence = row.integer(0)
        writtenAt = row.integer(1)
        sealed = row.blob(2)
    }
}
