import JSON
import Logging
import Synchronization
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Audit recorder", .blocking)
struct AuditRecorderTests {
    private let clock = ManualClock()
    private let log = MemoryLogOutput()
    private let store = MemoryAuditStore()
    private let alarms = Counter()
    private let recorder: AuditRecorder

    init() {
        let alarms = alarms
        recorder = AuditRecorder(
            store: store,
            clock: clock,
            logger: Logger(level: .info, output: log),
            alarmChanged: { alarms.add() }
        )
    }

    private static let actor = AuditEvent.Actor(uid: 1000, pid: 42, unit: "api.service")

    private func denial(_ subject: String = "web") -> AuditEvent {
        AuditEvent(.denial, "tokens", of: subject, outcome: "unknown_token", detail: "why", by: Self.actor)
    }

    /// The rows' payloads, when all that was recorded is written or lost.
    private func rows() async throws -> [JSONValue] {
        try await recorder.rows(after: 0, since: nil, limit: 1000).map { try JSONValue(parsing: #require($0.payload)) }
    }

    @Test("writes a line and a row, with who did what to what and how it came out")
    func event() async throws {
        recorder.record(
            AuditEvent(.secret, "promote", of: "key", outcome: "conflict", detail: "no", by: Self.actor)
        )
        let expected: JSONValue = [
            "kind": "secret", "action": "promote", "outcome": "conflict", "subject": "key", "detail": "no",
            "uid": 1000, "pid": 42, "unit": "api.service",
        ]
        #expect(try await rows() == [expected])
        let record = try #require(log.records.first)
        #expect(log.records.count == 1)
        #expect(record.message == "Secret step")
        #expect(record.level == .info)
        let facts: LogMetadata = [
            .action: "promote", .secret: "key", .outcome: "conflict", .reason: "no", .peerUID: 1000, .peerPID: 42,
            .peerUnit: "api.service",
        ]
        #expect(record.metadata == facts)
        #expect(try await recorder.rows(after: 0, since: nil, limit: 1).first?.at == clock.now().wall)
    }

    @Test("calls what a gate only monitors nothing that was denied, and names its route")
    func monitored() async throws {
        recorder.record(AuditEvent(.monitored, "device proof", of: "app", outcome: "proof_missing", by: Self.actor))
        #expect(try await rows().first?["kind"] == "monitored")
        let record = try #require(log.records.first)
        #expect(record.message == "Request monitored")
        #expect(record.metadata[.route] == "app")
    }

    @Test("writes denials that go on as one row with their number, and as one line")
    func aggregation() async throws {
        for _ in 0..<500 { recorder.record(denial()) }
        #expect(try await rows().count == 1)
        #expect(recorder.nextWake != nil)
        let alarmsBefore = alarms.count
        clock.advance(by: .seconds(10))
        recorder.wake()
        #expect(try await rows().map { $0["count"] } == [nil, 499])
        #expect(alarms.count > alarmsBefore)
        let denials = log.records.filter { $0.message == "Token denied" }
        #expect(denials.map { $0.metadata[.count] } == [nil, 499])
        #expect(denials.map { $0.metadata[.token] } == ["web", "web"])
    }

    @Test("leaves a row with the number of what was lost while the store failed")
    func gap() async throws {
        store.fail(with: .locked)
        for number in 0..<5 { recorder.record(AuditEvent(.operation, "step \(number)", by: Self.actor)) }
        #expect(try await rows().isEmpty)
        #expect(recorder.health.unwritten == 5)
        #expect(log.records.count { $0.message == "Operator action" } == 5)
        let writes = store.writes
        recorder.wake()
        #expect(try await rows().isEmpty)
        #expect(store.writes == writes)

        store.fail(with: nil)
        #expect(try #require(recorder.nextWake) <= clock.now().boot.advanced(by: .seconds(1)))
        clock.advance(by: .seconds(1))
        recorder.wake()
        try await until { recorder.health.gaps == 1 }
        recorder.record(AuditEvent(.operation, "after", by: Self.actor))
        let rows = try await rows()
        #expect(rows.map { $0["kind"] } == ["gap", "operator"])
        #expect(rows.first?["count"] == 5)
        #expect(rows.first?["outcome"] == "locked")
        #expect(recorder.health.unwritten == 0)
        let line = try #require(log.records.first { $0.message == "Audit log has a gap" })
        #expect(line.level == .warning)
        #expect(line.metadata[.count] == 5)
    }

    @Test("puts the heads into the journal at the start, each hour and at the end")
    func heads() async throws {
        recorder.record(AuditEvent(.operation, "one", by: Self.actor))
        _ = try await rows()
        func heads() -> [LogValue?] {
            log.records.filter { $0.message == "Audit log head" }.map { $0.metadata[.auditHead] }
        }
        #expect(recorder.nextWake == ManualClock.start.boot)
        recorder.wake()
        try await until { recorder.health.headAt == ManualClock.start.wall }
        #expect(heads() == ["operator:1:0aff"])
        clock.advance(by: .seconds(3599))
        recorder.wake()
        #expect(recorder.nextWake == ManualClock.start.boot.advanced(by: .seconds(3600)))
        clock.advance(by: .seconds(1))
        recorder.wake()
        try await until { heads().count == 2 }
        recorder.record(AuditEvent(.operation, "two", by: Self.actor))
        await recorder.finish()
        #expect(heads() == ["operator:1:0aff", "operator:1:0aff", "operator:2:0aff"])
        #expect(log.records.allSatisfy { $0.message != "Audit log head" || $0.level == .notice })
    }

    @Test("writes down at the end what was only counted, and says what is lost")
    func end() async throws {
        for _ in 0..<3 { recorder.record(denial()) }
        await recorder.finish()
        #expect(try await rows().map { $0["count"] } == [nil, 2])
        #expect(!log.records.contains { $0.message == "Audit rows were not written" })
        store.fail(with: .full)
        recorder.record(denial("other"))
        await recorder.finish()
        #expect(log.records.last?.metadata[.count] == 1)
    }

    @Test("keeps to the journal where there is no store")
    func withoutStore() async {
        let recorder = AuditRecorder(
            store: nil,
            clock: clock,
            logger: Logger(level: .info, output: log),
            alarmChanged: {}
        )
        recorder.record(AuditEvent(.operation, "token drop", of: "web", by: Self.actor))
        await recorder.finish()
        #expect(log.records.map(\.message) == ["Operator action"])
        #expect(recorder.nextWake == nil)
        #expect(recorder.health == AuditHealth())
    }

    @Test("writes mints down without a line of its own, by the token's name alone")
    func mints() async throws {
        let mints = MintAudit(recorder, passingOnTo: NoObserver())
        let key = TokenKey("web", Subject(id: "user-1"))
        mints.observe(.minted(key, generation: Generation(7), lifetime: .seconds(60), isForced: false))
        mints.observe(.minted(key, generation: Generation(8), lifetime: .seconds(60), isForced: true))
        let failure = MintFailure(.secretRejected, detail: "it is so")
        mints.observe(.mintFailed(key, failure, attempts: 1, retryAfter: 1, stillServing: false))
        mints.observe(.noProgress(key))
        let rows = try await rows()
        #expect(rows.map { $0["kind"] } == ["mint", "forced_mint", "mint", "mint"])
        #expect(rows.map { $0["outcome"] } == ["ok", "ok", "provider_rejected_secret", "no_progress"])
        #expect(rows.allSatisfy { $0["subject"] == "web" && $0["uid"] == nil })
        #expect(rows.allSatisfy { !String(decoding: $0.serialized(), as: UTF8.self).contains("user-1") })
        #expect(log.records.isEmpty)
    }

    private func until(_ isSo: () -> Bool) async throws {
        let begin = ContinuousClock.now
        while !isSo() {
            await Task.yield()
            try #require(ContinuousClock.now - begin < .seconds(60), "it did not happen")
        }
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func add() {
        value.withLock { $0 += 1 }
    }
}
