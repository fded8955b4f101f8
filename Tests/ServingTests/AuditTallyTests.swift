import Testing
import TokenBroker

@testable import Serving

@Suite("Audit tally")
struct AuditTallyTests {
    private let start = ManualClock.start.boot

    private func denial(
        _ subject: String?,
        uid: UInt32 = 1,
        pid: Int32 = 7,
        _ action: String = "tokens",
        outcome: String = "unknown_token"
    ) -> AuditEvent {
        AuditEvent(
            .denial,
            action,
            of: subject,
            outcome: outcome,
            detail: "why",
            by: AuditEvent.Actor(uid: uid, pid: pid, unit: "x.service")
        )
    }

    @Test("lets the first denial of a user and a token pass, and counts the others until the window ends")
    func window() {
        let tally = Tally()
        #expect(tally.nextEnd == nil)
        #expect(tally.admits(denial("web"), at: start))
        for pid in Int32(1)...3 { #expect(!tally.admits(denial("web", pid: pid), at: start)) }
        #expect(tally.admits(denial("other"), at: start))
        #expect(tally.admits(denial("web", uid: 2), at: start))
        #expect(tally.nextEnd == start.advanced(by: .seconds(10)))
        #expect(tally.takeEnded(at: start.advanced(by: .seconds(10) - .nanoseconds(1))).isEmpty)
        let ended = tally.takeEnded(at: start.advanced(by: .seconds(10)))
        let last = denial("web", pid: 3)
        #expect(
            ended == [
                AuditEvent(
                    .denial,
                    "tokens",
                    of: "web",
                    outcome: "unknown_token",
                    detail: "why",
                    by: last.actor,
                    count: 3
                )
            ]
        )
    }

    @Test("goes on counting while it goes on, and begins anew when it stopped")
    func goingOn() {
        let tally = Tally()
        #expect(tally.admits(denial("web"), at: start))
        #expect(!tally.admits(denial("web"), at: start))
        let second = start.advanced(by: .seconds(10))
        #expect(tally.takeEnded(at: second).map(\.count) == [1])
        #expect(!tally.admits(denial("web"), at: second))
        let third = second.advanced(by: .seconds(10))
        #expect(tally.takeEnded(at: third).map(\.count) == [1])
        #expect(tally.takeEnded(at: third.advanced(by: .seconds(10))).isEmpty)
        #expect(tally.nextEnd == nil)
        #expect(tally.admits(denial("web"), at: third.advanced(by: .seconds(10))))
    }

    @Test("counts each outcome and each action by itself")
    func outcomes() {
        let tally = Tally()
        let deeds = [("tokens", "a"), ("tokens", "b"), ("routes", "a")]
        for (index, (action, outcome)) in deeds.enumerated() {
            #expect(tally.admits(denial("web", action, outcome: outcome), at: start))
            for _ in 0...index { #expect(!tally.admits(denial("web", action, outcome: outcome), at: start)) }
        }
        let ended = tally.takeEnded(at: start.advanced(by: .seconds(10))).sorted { $0.count < $1.count }
        #expect(ended.map(\.count) == [1, 2, 3])
        #expect(ended.map(\.action) == deeds.map(\.0))
        #expect(ended.map(\.outcome) == deeds.map(\.1))
    }

    @Test("keeps outcomes apart where names or users are counted together")
    func outcomesOfMany() {
        let tally = Tally()
        for outcome in ["a", "b"] {
            for number in 0..<100 { _ = tally.admits(denial("name-\(number)", outcome: outcome), at: start) }
        }
        let names = tally.takeEnded(at: start.advanced(by: .seconds(10)))
        #expect(Set(names.map(\.outcome)) == ["a", "b"])
        #expect(names.reduce(0) { $0 + $1.count } == 200 - AuditTally.windowsPerUser - 2)
        let crowd = Tally()
        for outcome in ["a", "b"] {
            for uid in UInt32(0)..<2000 { _ = crowd.admits(denial("web", uid: uid, outcome: outcome), at: start) }
        }
        let users = crowd.takeEnded(at: start.advanced(by: .seconds(10)))
        #expect(Set(users.map(\.outcome)) == ["a", "b"])
        #expect(users.reduce(0) { $0 + $1.count } == 4000 - AuditTally.mostWindows - 2)
    }

    @Test(
        "counts denials of nobody in particular, too, and what was only monitored",
        arguments: [AuditEvent.Kind.denial, .monitored]
    )
    func nobody(_ kind: AuditEvent.Kind) {
        let tally = Tally()
        let denial = AuditEvent(kind, "device proof", of: "app", outcome: "proof_missing")
        #expect(tally.admits(denial, at: start))
        for _ in 1...5 { #expect(!tally.admits(denial, at: start)) }
        #expect(tally.takeEnded(at: start.advanced(by: .seconds(10))).map(\.count) == [5])
    }

    @Test("counts one user's names together when there are many, and those of nobody else with them")
    func names() {
        let tally = Tally()
        let admitted = (0..<1000).filter { tally.admits(denial("name-\($0)"), at: start) }
        #expect(admitted == Array(0...AuditTally.windowsPerUser))
        #expect(tally.admits(denial("name-900", uid: 2), at: start))
        let ended = tally.takeEnded(at: start.advanced(by: .seconds(10)))
        #expect(ended.map(\.subject) == [nil])
        #expect(ended.map(\.count) == [1000 - AuditTally.windowsPerUser - 1])
        #expect(ended.map(\.actor?.uid) == [1])
        // They are told apart again.
        #expect(tally.takeEnded(at: start.advanced(by: .seconds(20))).isEmpty)
        #expect(tally.admits(denial("name-1"), at: start.advanced(by: .seconds(20))))
    }

    @Test("counts many users together, and names none of them")
    func users() {
        let tally = Tally()
        let admitted = (0..<5000).filter { tally.admits(denial("web", uid: UInt32($0)), at: start) }
        #expect(admitted.count == AuditTally.mostWindows + 1)
        let ended = tally.takeEnded(at: start.advanced(by: .seconds(10)))
        #expect(ended.map(\.count) == [5000 - AuditTally.mostWindows - 1])
        #expect(ended.map(\.actor) == [nil])
        #expect(ended.map(\.subject) == [nil])
    }

    @Test("leaves alone what a caller needs a right for, and what the broker does by itself")
    func others() {
        let tally = Tally()
        let actor = AuditEvent.Actor(uid: 0, pid: 1)
        for _ in 0..<3 {
            #expect(tally.admits(AuditEvent(.operation, "token drop", of: "web", by: actor), at: start))
            #expect(tally.admits(AuditEvent(.secret, "promote", of: "key", by: actor), at: start))
            #expect(tally.admits(AuditEvent(.forcedMint, "mint", of: "web"), at: start))
        }
        #expect(tally.admits(AuditEvent(.forcedMint, "rejected", of: "web", by: actor), at: start))
        #expect(!tally.admits(AuditEvent(.forcedMint, "rejected", of: "web", by: actor), at: start))
    }

    @Test("gives what it has at the end")
    func end() {
        let tally = Tally()
        #expect(tally.admits(denial("web"), at: start))
        #expect(!tally.admits(denial("web"), at: start))
        #expect(tally.takeAll().map(\.count) == [1])
        #expect(tally.nextEnd == nil)
    }
}

/// A tally that can be asked inside of an expectation.
private final class Tally {
    private var tally = AuditTally()

    var nextEnd: BootInstant? { tally.nextEnd }

    func admits(_ event: AuditEvent, at now: BootInstant) -> Bool { tally.admits(event, at: now) }
    func takeEnded(at now: BootInstant) -> [AuditEvent] { tally.takeEnded(at: now) }
    func takeAll() -> [AuditEvent] { tally.takeAll() }
}
