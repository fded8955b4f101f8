import TestSupport
import Testing
import TokenBroker

@testable import Storage

extension AuditEntry {
    static func sample(
        _ auditClass: AuditClass,
        _ text: String,
        at instant: WallInstant = ManualClock().now().wall
    ) -> AuditEntry {
        AuditEntry(auditClass, at: instant, payload: Array(text.utf8))
    }

    static func samples(_ auditClass: AuditClass, _ count: Int) -> [AuditEntry] {
        (1...count).map { .sample(auditClass, "\(auditClass.rawValue) \($0)") }
    }
}

extension SQLiteStore {
    /// What the rows say; `?` for one that does not decrypt.
    func auditTexts(after sequence: Int64 = 0, since: WallInstant? = nil, limit: Int = 9) throws -> [String] {
        try auditRows(after: sequence, since: since, limit: limit).map { row in
            row.payload.map { String(decoding: $0, as: UTF8.self) } ?? "?"
        }
    }

    func report(on auditClass: AuditClass, against heads: [AuditHead] = []) async throws -> AuditChainReport? {
        try await verifyAudit(against: heads).first { $0.auditClass == auditClass }
    }

    /// The first fault of any chain.
    func auditFault(against heads: [AuditHead] = []) async throws -> AuditChainReport.Fault? {
        try await verifyAudit(against: heads).compactMap(\.fault).first
    }
}

@Suite("Audit rows", .blocking)
struct AuditTests {
    let folder = TemporaryFolder()

    /// With room for a few rows of each class.
    private func bench(_ change: (inout AuditLimits) -> Void = { _ in }) -> Bench {
        var limits = AuditLimits()
        change(&limits)
        return Bench(
            StorageSettings(path: folder.storePath, key: .file(path: folder.keyPath), auditLimits: limits)
        )
    }

    @Test("come back in order whatever their classes, a page at a time, and their numbers are not used again")
    func order() async throws {
        let first = bench()
        #expect(try await first.store.appendAudit([]) == nil)
        let entries: [AuditEntry] = [.sample(.routine, "a"), .sample(.operation, "b"), .sample(.routine, "")]
        #expect(try await first.store.appendAudit(entries) == 3)
        #expect(try await first.store.auditTexts(limit: 2) == ["a", "b"])
        #expect(try await first.store.auditTexts(after: 2) == [""])
        #expect(try await first.store.auditRows(after: 1, since: nil, limit: 1).first?.sequence == 2)
        await first.store.close()
        let second = bench()
        #expect(try await second.store.appendAudit([.sample(.denial, "c")]) == 4)
        #expect(try await second.store.auditTexts() == ["a", "b", "", "c"])
    }

    @Test("are found by the time of what they tell of")
    func since() async throws {
        let bench = bench()
        let times = [1000, 3000, 2000].map { WallInstant(milliseconds: $0) }
        try await bench.store.appendAudit(zip(["a", "b", "c"], times).map { .sample(.operation, $0, at: $1) })
        #expect(try await bench.store.auditTexts(since: times[2]) == ["b", "c"])
        #expect(try await bench.store.auditTexts(after: 2, since: times[2]) == ["c"])
        #expect(try await bench.store.auditRows(after: 0, since: nil, limit: 9).map(\.at) == times)
    }

    @Test("make a chain for each class, of which a look through all rows tells the ends")
    func reports() async throws {
        let bench = bench()
        #expect(try await bench.store.verifyAudit(against: []).map(\.rows) == [0, 0, 0, 0])
        #expect(try await bench.store.auditHeads().isEmpty)
        try await bench.store.appendAudit(AuditEntry.samples(.operation, 2))
        try await bench.store.appendAudit(AuditEntry.samples(.denial, 3) + AuditEntry.samples(.operation, 1))
        let reports = try await bench.store.verifyAudit(against: [])
        #expect(reports.map(\.auditClass) == [.operation, .routine, .denial, .gap])
        #expect(reports.map(\.rows) == [3, 0, 3, 0])
        #expect(reports.map(\.first) == [1, nil, 3, nil])
        #expect(reports.map(\.last) == [6, nil, 5, nil])
        #expect(reports.allSatisfy { $0.fault == nil && $0.pruned == 0 && $0.prunedThrough == nil })
        #expect(try await bench.store.auditHeads() == reports.compactMap(\.head))
        #expect(reports.map(\.head?.sequence) == [6, nil, 5, nil])
    }

    @Test("of one class never push out those of another, and an anchor tells what made room")
    func quotas() async throws {
        let bench = bench { limits in
            limits.denial = 5
            limits.operation = 2
        }
        try await bench.store.appendAudit([.sample(.operation, "first"), .sample(.operation, "second")])
        for _ in 0..<10 { try await bench.store.appendAudit(AuditEntry.samples(.denial, 10)) }
        #expect(try await bench.store.auditTexts(limit: 2) == ["first", "second"])
        #expect(try await bench.store.auditRows(after: 0, since: nil, limit: 99).count == 7)
        let report = try #require(try await bench.store.report(on: .denial))
        #expect((report.rows, report.first, report.last) == (5, 98, 102))
        #expect((report.pruned, report.prunedThrough) == (95, 97))
        #expect(report.fault == nil)

        try await bench.store.appendAudit([.sample(.operation, "third")])
        #expect(try await bench.store.auditTexts(limit: 1) == ["second"])
        #expect(try await bench.store.auditFault() == nil)
        // More at once than there is room for.
        try await bench.store.appendAudit(AuditEntry.samples(.denial, 20))
        #expect(try await bench.store.report(on: .denial)?.rows == 5)
        #expect(try await bench.store.auditFault() == nil)
    }

    @Test("are looked through whole while others are added and make the oldest go")
    func concurrentVerification() async throws {
        let bench = bench { $0.routine = 1500 }
        try await bench.store.appendAudit(AuditEntry.samples(.routine, 1500))
        #expect(try await bench.store.report(on: .routine)?.rows == 1500)
        let adding = Task { [store = bench.store] in
            for _ in 0..<40 { try await store.appendAudit(AuditEntry.samples(.routine, 100)) }
        }
        for _ in 0..<5 { #expect(try await bench.store.auditFault() == nil) }
        try await adding.value
        #expect(try await bench.store.report(on: .routine)?.last == 5500)
    }

    @Test("are kept by a store that an earlier version began")
    func migration() async throws {
        let first = bench()
        try await first.store.save(.sample(text: "kept"))
        await first.store.close()
        do {
            let old = try Database(folder.storePath)
            for statement in [
                "DROP TABLE audit", "DROP TABLE audit_chains",
                "CREATE TABLE audit (version INTEGER PRIMARY KEY, written_at INTEGER, sealed BLOB) STRICT",
                "DELETE FROM migrations WHERE name <> '001-first-schema'", "PRAGMA user_version = 1",
            ] {
                try old.run(statement)
            }
        }
        let second = bench()
        #expect(try await second.store.restore().texts == ["kept"])
        try await second.store.appendAudit([.sample(.operation, "new")])
        #expect(try await second.store.auditTexts() == ["new"])
        #expect(try await second.store.auditFault() == nil)
    }
}
