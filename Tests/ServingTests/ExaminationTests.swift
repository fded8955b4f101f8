import JSON
import Logging
import Synchronization
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("The daemon's examination of itself", .blocking)
struct ExaminationTests {
    private static let example = Examination(
        process: Examination.Process(
            uid: 998,
            gid: 997,
            mayGainPrivileges: false,
            mayCallEverything: true,
            hasCapabilities: false,
            isTraceable: false,
            openFiles: .max
        ),
        unseen: Examination.Unseen(users: [33], groups: [985], processes: true, boot: false),
        sockets: Examination.Sockets(apps: "/a", admin: "/b", adminGroup: 985, adminUsers: [33]),
        connectionsPerUID: 16384,
        configurationProblems: ["/c:1:1: x"],
        secrets: [
            Examination.Secret(name: "good", fault: nil),
            Examination.Secret(name: "bad", fault: ("open", "chmod o= /s")),
        ],
        providers: [
            Examination.Provider(
                name: "up",
                origin: "https://up",
                result: .reached(in: .milliseconds(12), clockSkew: .seconds(-7))
            ),
            Examination.Provider(name: "mute", origin: "https://mute", result: .reached(in: .zero, clockSkew: nil)),
            Examination.Provider(name: "down", origin: "https://down", result: .failed(code: "timed_out", text: "no")),
        ]
    )

    /// Examinations that a test ends.
    private final class Script: Sendable {
        let completions = Mutex<[@Sendable (Examination) -> Void]>([])

        func facts() -> DaemonFacts {
            var facts = DaemonFacts.example
            facts.examine = { [self] completion in completions.withLock { $0.append(completion) } }
            return facts
        }

        var count: Int { completions.withLock { $0.count } }
    }

    @Test("is answered when it is over, with facts and without a judgement")
    func answer() async throws {
        let (harness, script) = (try Harness.operated(), Script())
        harness.servers.factsChanged(script.facts())
        let client = try harness.connect(.admin)
        client.send(message("POST /v1/examination"))
        try await harness.until { script.count == 1 }
        await harness.settle()
        client.receive()
        #expect(client.received.isEmpty)
        script.completions.withLock { $0.removeLast() }(Self.example)
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "process": [
                    "uid": 998, "gid": 997, "may_gain_privileges": false, "may_call_everything": true,
                    "has_capabilities": false, "traceable": false, "open_files": 9_223_372_036_854_775_807,
                ],
                "unseen": ["users": [33], "groups": [985], "processes": true, "boot": false],
                "sockets": ["apps": "/a", "admin": "/b", "admin_group": 985, "admin_users": [33]],
                "connections_per_uid": 16384,
                "configuration_problems": ["/c:1:1: x"],
                "secrets": [
                    ["name": "good", "fault": nil],
                    ["name": "bad", "fault": ["text": "open", "remedy": "chmod o= /s"]],
                ],
                "providers": [
                    ["name": "up", "origin": "https://up", "milliseconds": 12, "clock_skew_ms": -7000],
                    ["name": "mute", "origin": "https://mute", "milliseconds": 0, "clock_skew_ms": nil],
                    ["name": "down", "origin": "https://down", "failure": ["code": "timed_out", "text": "no"]],
                ],
            ]
        )
        #expect(harness.log.records.map { $0.metadata[.action] } == [.string("examination")])
    }

    @Test("is given up where it does not end")
    func deadline() async throws {
        let (harness, script) = (try Harness.operated(), Script())
        harness.servers.factsChanged(script.facts())
        let client = try harness.connect(.admin)
        client.send(message("POST /v1/examination"))
        try await harness.until { script.count == 1 }
        harness.clock.advance(by: .seconds(50))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
    }
}
