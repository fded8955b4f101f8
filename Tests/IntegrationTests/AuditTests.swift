import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The audit log", .blocking)
struct AuditTests {
    private func site() throws -> Site {
        try Site { settings, _ in
            settings.addStore()
            settings.addToken("theirs", allow: "{ user: 47110 }", options: Site.onDemand)
        }
    }

    private func tool(_ site: Site, _ arguments: String...) throws -> (ending: Int32, output: String) {
        let process = try RunningProcess("tokenbroker", arguments + ["--socket", site.broker.adminSocket])
        return (try process.waitForEnd(), process.output.text)
    }

    private func events(_ site: Site, _ options: String...) throws -> [JSONValue] {
        let process = try RunningProcess(
            "tokenbroker",
            ["audit", "--json", "--socket", site.broker.adminSocket] + options
        )
        guard try process.waitForEnd() == 0 else { throw HarnessError(process.errors.text) }
        return try process.output.lines.map { try JSONValue(parsing: $0.utf8) }
    }

    @Test("tells of mints, of denials with the peer, and of what an operator did by which process")
    func contents() throws {
        let site = try site()
        #expect(try site.broker.fetch("web").status == 200)
        #expect(try site.broker.fetch("theirs").code == "unknown_token")
        let words = ["token", "refresh", "web", "--socket", site.broker.adminSocket]
        let refresh = try RunningProcess("tokenbroker", words)
        #expect(try refresh.waitForEnd() == 0)
        #expect(try tool(site, "reload").ending == 0)
        site.broker.process.send(SIGHUP)
        try Deadline.until("the reload") { try self.events(site).count { $0["kind"] == "reload" } == 2 }

        let uid = JSONValue.number(JSONNumber(Int64(geteuid())))
        let events = try self.events(site)
        #expect(events.map { $0["sequence"]?.number?.int64 } == (1...Int64(events.count)).map { $0 })
        func event(_ kind: String, _ action: String) throws -> JSONValue {
            try #require(events.first { $0["kind"]?.string == kind && $0["action"]?.string == action })
        }
        let mint = try event("mint", "mint")
        #expect(mint["subject"] == "web")
        #expect(mint["outcome"] == "ok")
        #expect(mint["uid"] == .null)
        #expect(try event("forced_mint", "mint")["outcome"] == "ok")
        let denial = try event("denial", "tokens")
        #expect(denial["subject"] == "theirs")
        #expect(denial["uid"] == uid)
        #expect(denial["pid"]?.number?.int64 == Int64(getpid()))
        #expect(denial["detail"]?.string?.contains("not allowed") == true)
        let operation = try event("operator", "token refresh")
        #expect(operation["subject"] == "web")
        #expect(operation["uid"] == uid)
        #expect(operation["pid"]?.number?.int64 == Int64(refresh.pid))
        let reloads = events.filter { $0["kind"] == "reload" }
        #expect(reloads.map { $0["outcome"] } == ["ok", "ok"])
        #expect(reloads.map { $0["uid"] } == [uid, .null])
        try site.broker.log.line(with: "Operator action", "token refresh", "subject=web", "peer.pid=\(refresh.pid)")
        #expect(try self.events(site, "--since", "1h") == events)
        #expect(try tool(site, "audit").output.split(separator: "\n").count == events.count)
    }

    @Test("what was only counted is in the journal after a stop, with and without a store", arguments: [true, false])
    func counted(hasStore: Bool) throws {
        let site = try Site { settings, _ in
            if hasStore { settings.addStore() }
        }
        for _ in 1...3 { #expect(try site.broker.fetch("ghost").code == "unknown_token") }
        site.broker.process.send(SIGTERM)
        #expect(try site.broker.process.waitForEnd() == 0)
        try site.broker.log.line(with: "Token denied", "token=ghost", "count=2")
    }

    @Test("counts denials that go on, and never lets them push out what operators did")
    func flood() throws {
        let site = try site()
        #expect(try tool(site, "token", "drop", "web").ending == 0)
        let connection = try site.broker.connect()
        for number in 0..<2000 {
            let name = number.isMultiple(of: 2) ? "theirs" : "name-\(number)"
            #expect(try connection.exchange(.get, "/v1/tokens/\(name)").code == "unknown_token")
        }
        let denials = try events(site).filter { $0["kind"] == "denial" }
        #expect((2...60).contains(denials.count))
        #expect(site.broker.log.lines.count { $0.contains("Token denied") } <= 60)
        #expect(try events(site).contains { $0["action"] == "token drop" })
    }

    @Test("--follow prints what comes, and --json each as a line")
    func follow() throws {
        let site = try site()
        let follower = try RunningProcess(
            "tokenbroker",
            ["audit", "--follow", "--json", "--socket", site.broker.adminSocket]
        )
        try follower.output.line(with: #""kind":"mint""#)
        #expect(try tool(site, "token", "drop", "web").ending == 0)
        try follower.output.line(with: #""action":"token drop""#)
    }

    @Test("is for operators alone")
    func rights() throws {
        let site = try Site { settings, _ in
            settings.addStore()
            settings.operators = "[]"
            settings.observers = "[{ user: \(geteuid()) }]"
        }
        // Root may everything.
        let expected: Int32 = geteuid() == 0 ? 0 : 77
        #expect(try tool(site, "audit").ending == expected)
        #expect(try tool(site, "audit", "verify").ending == expected)
    }

    @Test("is in the journal alone where there is no store, and the tool says so")
    func noStore() throws {
        let site = try Site()
        let process = try RunningProcess("tokenbroker", ["audit", "--socket", site.broker.adminSocket])
        #expect(try process.waitForEnd() == 1)
        #expect(process.errors.text.contains("not_found"))
        #expect(try tool(site, "token", "drop", "web").ending == 0)
        try site.broker.log.line(with: "Operator action", "token drop")
    }

    @Test("is found valid across a restart, and invalid when a row was changed or taken out", .with(.python))
    func tampering() throws {
        let site = try site()
        #expect(try tool(site, "token", "drop", "web").ending == 0)
        #expect(try tool(site, "token", "drop", "theirs").ending == 0)
        #expect(try site.broker.fetch("theirs").code == "unknown_token")
        let valid = try tool(site, "audit", "verify")
        #expect(valid.ending == 0)
        #expect(valid.output.contains("valid"))
        #expect(try stop(site.broker) == 0)
        let head = try site.broker.log.line(with: "Audit log head", "audit.head=operator:")
        let name = try #require(head.split(separator: "audit.head=").last.map(String.init))

        let second = try start(site)
        #expect(try verify(second, "--head", name).ending == 0)
        #expect(try stop(second) == 0)
        try edit(site, "UPDATE audit SET written_at = written_at - 1 WHERE class = 'denial'")
        let third = try start(site)
        let changed = try verify(third, "--json")
        #expect(changed.ending == 1)
        #expect(changed.output.contains(#""valid": false"#))
        #expect(changed.output.contains("was changed"))
        #expect(try verify(third, "--head", name).ending == 1)
        #expect(try stop(third) == 0)

        try edit(site, "DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit WHERE class = 'operator')")
        let fourth = try start(site)
        let cut = try verify(fourth)
        #expect(cut.ending == 1)
        #expect(cut.output.contains("rows are missing at the end"))
        #expect(try stop(fourth) == 0)
    }

    private func start(_ site: Site) throws -> BrokerProcess {
        try BrokerProcess(site.scratch, site.settings.text)
    }

    private func stop(_ broker: BrokerProcess) throws -> Int32 {
        broker.process.send(SIGTERM)
        return try broker.process.waitForEnd()
    }

    private func verify(_ broker: BrokerProcess, _ options: String...) throws -> (ending: Int32, output: String) {
        let process = try RunningProcess(
            "tokenbroker",
            ["audit", "verify", "--socket", broker.adminSocket] + options
        )
        return (try process.waitForEnd(), process.output.text)
    }

    /// Changes the store of a broker that was stopped, as somebody would who can write the file.
    private func edit(_ site: Site, _ statement: String) throws {
        let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
        _ = try Installed.python.run(["-c", script, site.scratch.path("store.sqlite"), statement])
    }
}
