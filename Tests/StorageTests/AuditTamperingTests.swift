import Glibc
import TestSupport
import Testing
import TokenBroker

@testable import Storage

@Suite("Audit rows that somebody changed", .blocking, .timeLimit(.minutes(10)))
struct AuditTamperingTests {
    let folder = TemporaryFolder()

    private func bench(_ limit: Int64 = 100) -> Bench {
        var limits = AuditLimits()
        limits.operation = limit
        return Bench(
            StorageSettings(path: folder.storePath, key: .file(path: folder.keyPath), auditLimits: limits)
        )
    }

    /// A store with six rows: the operators' are 1, 2, 4 and 6.
    private func filled(_ limit: Int64 = 100) async throws -> Bench {
        let bench = bench(limit)
        for auditClass: AuditClass in [.operation, .operation, .denial, .operation, .denial, .operation] {
            try await bench.store.appendAudit(AuditEntry.samples(auditClass, 1))
        }
        return bench
    }

    @Test("are named, whichever byte of whichever row it is")
    func everyByte() async throws {
        let bench = try await filled()
        let other = try Database(folder.storePath)
        for column in ["sealed", "mac"] {
            for sequence in Int64(1)...6 {
                let select = "SELECT \(column) FROM audit WHERE sequence = ?1"
                let update = "UPDATE audit SET \(column) = ?2 WHERE sequence = ?1"
                let bytes = try #require(try other.first(select, .integer(sequence)) { $0.blob(0) })
                #expect(bytes.count >= 32)
                for index in bytes.indices {
                    var changed = bytes
                    changed[index] ^= 1
                    try other.run(update, .integer(sequence), .blob(changed))
                    #expect(try await bench.store.auditFault() == .row(sequence), "\(column) \(sequence) \(index)")
                }
                try other.run(update, .integer(sequence), .blob(bytes))
            }
        }
        #expect(try await bench.store.auditFault() == nil)
    }

    @Test(
        "are named when they were dated anew, moved, swapped, emptied or taken out",
        arguments: [
            ("UPDATE audit SET written_at = written_at + 1 WHERE sequence = 4", .row(4)),
            ("UPDATE audit SET class = 'operator' WHERE sequence = 3", .row(3)),
            ("UPDATE audit SET class = 'other' WHERE sequence = 3", .stray(3)),
            ("INSERT INTO audit SELECT 9, 'other', written_at, sealed, mac FROM audit WHERE sequence = 4", .stray(9)),
            ("UPDATE audit SET sequence = 7 WHERE sequence = 4", .row(6)),
            ("UPDATE audit SET sequence = 0 WHERE sequence = 1", .row(0)),
            ("UPDATE audit SET sequence = -sequence WHERE sequence IN (2, 4)", .row(-4)),
            ("UPDATE audit SET sealed = (SELECT sealed FROM audit WHERE sequence = 2) WHERE sequence = 4", .row(4)),
            ("UPDATE audit SET sealed = x'', mac = x'' WHERE sequence = 2", .row(2)),
            ("DELETE FROM audit WHERE sequence = 1", .row(2)),
            ("DELETE FROM audit WHERE sequence = 2", .row(4)),
            ("DELETE FROM audit WHERE sequence IN (2, 4)", .row(6)),
            ("DELETE FROM audit WHERE sequence = 6", .end(6)),
            ("DELETE FROM audit WHERE sequence > 1", .end(6)),
            ("DELETE FROM audit", .end(6)),
            ("DELETE FROM audit_chains", .record),
            ("UPDATE audit_chains SET sealed = zeroblob(200)", .record),
        ] as [(String, AuditChainReport.Fault)]
    )
    func changes(_ change: String, _ fault: AuditChainReport.Fault) async throws {
        let bench = try await filled()
        #expect(try await bench.store.auditFault() == nil)
        let other = try Database(folder.storePath)
        try other.run(change)
        #expect(try await bench.store.auditFault() == fault)
        // What is written afterwards does not hide it.
        try await bench.store.appendAudit(AuditEntry.samples(.operation, 1))
        let later = try await bench.store.report(on: .operation)?.fault
        #expect(later != nil)
        #expect(later == fault || fault == .end(6))
    }

    @Test("are read on as far as they can be")
    func reading() async throws {
        let bench = try await filled()
        let other = try Database(folder.storePath)
        try other.run("UPDATE audit SET sealed = zeroblob(60) WHERE sequence = 2")
        #expect(try await bench.store.auditTexts(limit: 3) == ["operator 1", "?", "denial 1"])
    }

    @Test("are named behind an anchor too, and one that made room does not come back")
    func behindAnchor() async throws {
        let bench = try await filled(3)
        let other = try Database(folder.storePath)
        let report = try await bench.store.report(on: .operation)
        #expect((report?.first, report?.pruned, report?.fault) == (2, 1, nil))
        let columns = AuditChainRow.columns
        try other.run("CREATE TEMP TABLE kept AS SELECT * FROM audit WHERE sequence = 2")
        try other.run("DELETE FROM audit WHERE sequence = 2")
        #expect(try await bench.store.auditFault() == .row(4))
        try other.run("INSERT INTO audit (\(columns)) SELECT \(columns) FROM kept")
        #expect(try await bench.store.auditFault() == nil)
        try await bench.store.appendAudit(AuditEntry.samples(.operation, 1))
        #expect(try await bench.store.report(on: .operation)?.prunedThrough == 2)
        try other.run("INSERT INTO audit (\(columns)) SELECT \(columns) FROM kept")
        #expect(try await bench.store.auditFault() == .row(2))
    }

    @Test("a whole store that was put back is told by a head that is known from elsewhere")
    func putBack() async throws {
        let first = try await filled()
        let early = try await first.store.auditHeads()
        await first.store.close()
        let copy = folder.bytes(of: folder.storePath)

        let second = bench()
        #expect(try await second.store.auditFault(against: early) == nil)
        try await second.store.appendAudit(AuditEntry.samples(.operation, 1))
        let late = try await second.store.auditHeads()
        #expect(late.map(\.sequence) == [7, 5])
        #expect(try await second.store.auditFault(against: early + late) == nil)
        await second.store.close()

        folder.write(folder.storePath, copy)
        let third = bench()
        #expect(try await third.store.auditFault() == nil)
        #expect(try await third.store.auditFault(against: early) == nil)
        #expect(try await third.store.auditFault(against: late) == .head(late[0]))
        // Another row in its place is not it.
        try await third.store.appendAudit([.sample(.operation, "another")])
        #expect(try await third.store.auditHeads().first?.sequence == 7)
        #expect(try await third.store.auditFault(against: late) == .head(late[0]))
    }

    @Test("a head whose row made room since is no fault")
    func prunedHead() async throws {
        let bench = try await filled(4)
        let heads = try await bench.store.auditHeads()
        for count in 1...5 {
            try await bench.store.appendAudit(AuditEntry.samples(.operation, 1))
            #expect(try await bench.store.auditFault(against: heads) == nil, "\(count)")
        }
        #expect(try await bench.store.report(on: .operation)?.prunedThrough == 7)
    }

    @Test("a replaced key makes the chains anew, and forgives nothing", arguments: [nil, 2, 6] as [Int64?])
    func replacedKey(changed: Int64?) async throws {
        let oldPath = folder.path + "/old.key"
        try folder.writeKey(1)
        let old = try await filled()
        let heads = try await old.store.auditHeads()
        if let changed {
            let other = try Database(folder.storePath)
            try other.run("UPDATE audit SET mac = zeroblob(32) WHERE sequence = ?1", .integer(changed))
        }
        await old.store.close()
        try folder.writeKey(1, at: oldPath)
        try folder.writeKey(2)
        let settings = StorageSettings(
            path: folder.storePath,
            key: .file(path: folder.keyPath),
            previousKey: .file(path: oldPath)
        )
        for settings in [settings, Bench(folder).settings] {
            let bench = Bench(settings)
            #expect(try await bench.store.auditTexts().count == 6)
            #expect(try await bench.store.auditFault() == changed.map { .row($0) })
            #expect(try await bench.store.auditHeads().map(\.sequence) == heads.map(\.sequence))
            #expect(try await bench.store.auditHeads()[1].mac != heads[1].mac)
            await bench.store.close()
        }
    }

    @Test("a replaced key does not make up for a record that was lost")
    func replacedKeyWithoutRecord() async throws {
        let oldPath = folder.path + "/old.key"
        try folder.writeKey(1)
        let old = try await filled()
        do {
            let other = try Database(folder.storePath)
            try other.run("DELETE FROM audit_chains")
        }
        await old.store.close()
        try folder.writeKey(1, at: oldPath)
        try folder.writeKey(2)
        let bench = Bench(
            StorageSettings(
                path: folder.storePath,
                key: .file(path: folder.keyPath),
                previousKey: .file(path: oldPath)
            )
        )
        #expect(try await bench.store.auditFault() == .record)
        #expect(try await bench.store.auditTexts(limit: 1) == ["operator 1"])
    }

    @Test("a record with a number of chains that cannot be is unreadable", arguments: [-1, .min, 5, .max] as [Int64])
    func impossibleCount(_ count: Int64) {
        var plaintext = Plaintext()
        plaintext.append(0 as Int64)
        plaintext.append(count)
        let chains = plaintext.withBytes { bytes in
            var reader = PlaintextReader(bytes)
            return try? AuditChains(&reader)
        }
        #expect(chains == nil)
    }
}
