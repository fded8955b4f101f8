import Synchronization
import TokenBroker

/// The audit log's store without a disk; it fails when told to.
final class MemoryAuditStore: AuditStore {
    private struct State {
        var rows: [(AuditClass, AuditRow)] = []
        var failure: StoreError.Code?
        var writes = 0
    }

    private let state = Mutex(State())

    func fail(with code: StoreError.Code?) {
        state.withLock { $0.failure = code }
    }

    /// How often it was written to, failures included.
    var writes: Int { state.withLock { $0.writes } }

    func appendAudit(_ entries: [AuditEntry]) async throws(StoreError) -> Int64? {
        try state.withLock { (state) throws(StoreError) in
            state.writes += 1
            if let failure = state.failure { throw StoreError(failure, "made to fail") }
            for entry in entries {
                let row = AuditRow(sequence: Int64(state.rows.count) + 1, at: entry.at, payload: entry.payload)
                state.rows.append((entry.auditClass, row))
            }
            return Int64(state.rows.count)
        }
    }

    func auditRows(
        after sequence: Int64,
        since earliest: WallInstant?,
        limit: Int
    ) async throws(StoreError) -> [AuditRow] {
        try state.withLock { (state) throws(StoreError) in
            if state.failure == .corrupt { throw StoreError(.corrupt, "made to fail") }
            let rows = state.rows.map(\.1).filter { row in
                row.sequence > sequence && (earliest.map { row.at >= $0 } ?? true)
            }
            return Array(rows.prefix(limit))
        }
    }

    func auditHeads() async throws(StoreError) -> [AuditHead] {
        state.withLock { state in
            AuditClass.allCases.compactMap { auditClass in
                let last = state.rows.last { $0.0 == auditClass }
                return last.map { AuditHead(auditClass, sequence: $0.1.sequence, mac: [0x0A, 0xFF]) }
            }
        }
    }

    /// Finds the chain of operators wrong where `heads` are known.
    func verifyAudit(against heads: [AuditHead]) async throws(StoreError) -> [AuditChainReport] {
        state.withLock { state in
            AuditClass.allCases.map { auditClass in
                var report = AuditChainReport(auditClass)
                report.rows = Int64(state.rows.count { $0.0 == auditClass })
                if auditClass == .operation, let head = heads.first { report.fault = .head(head) }
                return report
            }
        }
    }
}

/// What is recorded, and nothing else.
final class MemoryAuditLog: AuditLog {
    private let recorded = Mutex<[AuditEvent]>([])

    var events: [AuditEvent] { recorded.withLock { $0 } }

    func record(_ event: AuditEvent) {
        recorded.withLock { $0.append(event) }
    }
}
