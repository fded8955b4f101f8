internal import TokenBroker

// A lease ends by the boot clock, and with the boot: whoever held it does not run any more.

extension Vault {
    func takeLease(
        on key: String,
        by holder: String,
        until end: BootInstant,
        at now: BootInstant,
        _ bootID: BootID
    ) throws(StoreError) -> Lease? {
        let code = keys.code("lease", key)
        let isHeld = try database.first(
            "SELECT 1 FROM leases WHERE code = ?1 AND holder <> ?2 AND boot_id = ?3 AND boot_deadline > ?4",
            .blob(code),
            .text(holder),
            .text(bootID.text),
            .integer(now.nanoseconds),
            body: { _ in true }
        )
        guard isHeld == nil else { return nil }
        let lease = Lease(key: key, holder: holder, term: try advance("lease"))
        try database.run(
            """
            INSERT INTO leases (code, holder, term, boot_id, boot_deadline) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (code) DO UPDATE SET holder = ?2, term = ?3, boot_id = ?4, boot_deadline = ?5
            """,
            .blob(code),
            .text(holder),
            .integer(lease.term),
            .text(bootID.text),
            .integer(end.nanoseconds)
        )
        return lease
    }

    /// - Returns: whether it was still held.
    func renew(
        _ lease: Lease,
        until end: BootInstant,
        at now: BootInstant,
        _ bootID: BootID
    ) throws(StoreError) -> Bool {
        try database.run(
            "UPDATE leases SET boot_deadline = ?4 WHERE code = ?1 AND term = ?2 AND boot_id = ?3 AND boot_deadline > ?5",
            .blob(keys.code("lease", lease.key)),
            .integer(lease.term),
            .text(bootID.text),
            .integer(end.nanoseconds),
            .integer(now.nanoseconds)
        ) > 0
    }

    func release(_ lease: Lease) throws(StoreError) {
        try database.run(
            "DELETE FROM leases WHERE code = ?1 AND term = ?2",
            .blob(keys.code("lease", lease.key)),
            .integer(lease.term)
        )
    }

    /// Ends the leases of an earlier process: who has the store's lock knows that none of their holders lives.
    func endLeases() throws(StoreError) {
        try database.transaction(.ordinary) { () throws(StoreError) in
            _ = try database.run("DELETE FROM leases")
        }
    }
}
