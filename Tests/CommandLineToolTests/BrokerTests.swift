import Foundation
import Glibc
import HTTPWire
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Asking the broker", .blocking)
struct BrokerTests {
    static let token = """
        {"name":"web","access_token":"at_v1_x","token_type":"Bearer","expires_at":1775464738,
         "expires_at_ms":1775464738000,"expires_in":null,"refresh_at":1775464000,"generation":1767225601,"degraded":false}
        """

    private func run(_ arguments: [String], on path: String, terminal: Bool = false) throws -> Report {
        let outcome = Tool.outcome(arguments + ["--socket", path], Surroundings(outputIsTerminal: terminal))
        guard case .report(let report) = outcome else { throw CommandFailure.usage("not a report: \(outcome)") }
        return report
    }

    private func text(_ report: Report) -> String {
        String(decoding: report.output, as: UTF8.self)
    }

    @Test(
        "get prints what was asked for, and only that",
        arguments: [
            ([], "at_v1_x\n"), (["--header"], "Authorization: Bearer at_v1_x\n"),
            (["--field", "expires_at"], "1775464738\n"), (["--field", "expires_in"], "\n"),
            (["--field", "degraded"], "false\n"), (["--field", "token_type"], "Bearer\n"),
        ]
    )
    func get(options: [String], expected: String) throws {
        let report = try run(["get", "web"] + options, on: ScriptedServer(Self.token).path)
        #expect(text(report) == expected)
        #expect(report.status == .done)
        #expect(report.notes.isEmpty)
    }

    @Test("get puts lifetime and user into the query, and asks for nothing else")
    func getRequest() throws {
        let server = ScriptedServer(Self.token)
        _ = try run(["get", "web", "--min-ttl", "5m", "--end-user", "a b&c=é"], on: server.path)
        #expect(
            server.request
                == "GET /v1/tokens/web?min_ttl=300&end_user=a%20b%26c%3D%C3%A9 HTTP/1.1\r\n"
                + "Host: localhost\r\nConnection: close\r\n\r\n"
        )
    }

    @Test("a field that the answer lacks is a usage error that says what there is")
    func unknownField() throws {
        let report = try run(["get", "web", "--field", "expires"], on: ScriptedServer(Self.token).path)
        #expect(report.status == .usage)
        #expect(report.notes[0].contains("no field 'expires'"))
        #expect(report.notes[1].contains("expires_at_ms"))
        #expect(report.notes.allSatisfy { !$0.contains("at_v1_x") })
    }

    @Test("a token that no header may carry is not printed")
    func unusableToken() throws {
        let server = ScriptedServer(#"{"access_token":"a\nb"}"#)
        let report = try run(["get", "web"], on: server.path)
        #expect(report.status == .unavailable)
        #expect(report.output.isEmpty)
    }

    @Test("exec becomes the program, with the token in the variable that was named")
    func exec() {
        let server = ScriptedServer(Self.token)
        let outcome = Tool.outcome(
            ["--socket", server.path, "exec", "web", "--env", "T", "--", "curl", "-s"],
            Surroundings()
        )
        #expect(outcome == .execute(Execution(program: ["curl", "-s"], variable: "T", token: "at_v1_x")))
    }

    @Test("the socket comes from the environment when none is typed; the admin commands have their own")
    func socketFromEnvironment() {
        let apps = ScriptedServer(Self.token)
        let admin = ScriptedServer(#"{"dropped":true}"#)
        let surroundings = Surroundings(variables: [
            "TOKENBROKER_SOCKET": apps.path, "TOKENBROKER_ADMIN_SOCKET": admin.path,
        ])
        #expect(Tool.outcome(["get", "web"], surroundings) == .report(.text(["at_v1_x"])))
        #expect(Tool.outcome(["token", "drop", "web"], surroundings) == .report(.text(["web: dropped"])))
        #expect(admin.request.hasPrefix("DELETE /v1/tokens/web HTTP/1.1\r\n"))
    }

    @Test(
        "each command asks for its own resource",
        arguments: [
            (["list"], "GET /v1/tokens "), (["whoami"], "GET /v1/whoami "), (["status"], "GET /v1/status "),
            (["token", "refresh", "a"], "POST /v1/tokens/a/refresh "), (["reload"], "POST /v1/reload "),
        ]
    )
    func resources(words: [String], requestLine: String) throws {
        let server = ScriptedServer("{}")
        #expect(try run(words, on: server.path).status == .done)
        #expect(server.request.hasPrefix(requestLine))
    }

    @Test("an answer is read at whatever points it is split")
    func splitAnswer() throws {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.token.utf8.count)\r\n\r\n" + Self.token
        let report = try run(["get", "web"], on: ScriptedServer(whole.map(String.init)).path)
        #expect(text(report) == "at_v1_x\n")
    }

    @Test("an answer without a length ends with the connection")
    func untilClose() throws {
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\n\r\n" + Self.token])
        #expect(text(try run(["get", "web"], on: server.path)) == "at_v1_x\n")
    }

    @Test("a status larger than a request may be is read")
    func largeAnswer() throws {
        let warning = String(repeating: "w", count: 300_000)
        let report = try run(["status"], on: ScriptedServer(#"{"warnings":["\#(warning)"]}"#).path)
        #expect(text(report).contains(warning))
    }

    @Test("a problem ends with 1, its code first, and what may help")
    func problem() throws {
        let server = ScriptedServer(
            status: 503,
            #"{"code":"provider_unavailable","detail":"wait","retry_after":12,"provider_status":500,"provider_code":"x"}"#
        )
        let report = try run(["get", "web"], on: server.path)
        #expect(report.status == .refusedByBroker)
        #expect(
            report.notes == [
                "tokenbroker: provider_unavailable: wait", "the provider answered: status 500, code x",
                "retry_after: 12 s",
            ]
        )
        #expect(report.output.isEmpty)
    }

    @Test("an unknown token ends with 1")
    func unknownToken() throws {
        let server = ScriptedServer(status: 404, #"{"code":"unknown_token","detail":"no such token"}"#)
        let report = try run(["get", "web"], on: server.path)
        #expect(report.status == .refusedByBroker)
        #expect(report.notes == ["tokenbroker: unknown_token: no such token"])
    }

    @Test("a configuration that was refused shows each fault")
    func refusedReload() throws {
        let server = ScriptedServer(
            status: 422,
            #"{"code":"configuration_invalid","detail":"no","errors":["a:1:2: x","y"]}"#
        )
        let report = try run(["reload"], on: server.path)
        #expect(report.status == .refusedByBroker)
        #expect(report.notes == ["tokenbroker: configuration_invalid: no", "a:1:2: x", "y"])
    }

    @Test("not_permitted ends with 77 and says which group would help; another 403 ends with 1")
    func notPermitted() throws {
        let refused = try run(["status"], on: ScriptedServer(status: 403, #"{"code":"not_permitted"}"#).path)
        #expect(refused.status == .notPermitted)
        #expect(refused.notes[0] == "tokenbroker: not_permitted")
        #expect(refused.notes[1].contains("operators"))
        let user = try run(["get", "a"], on: ScriptedServer(status: 403, #"{"code":"provider_refused_user"}"#).path)
        #expect(user.status == .refusedByBroker)
    }

    @Test("an observer who wants to do more ends with 77, and is not told of a group that does not help")
    func observer() throws {
        let problem = #"{"code":"not_permitted","detail":"you may look","reason":"observer"}"#
        let report = try run(["reload"], on: ScriptedServer(status: 403, problem).path)
        #expect(report.status == .notPermitted)
        #expect(report.notes == ["tokenbroker: not_permitted: you may look"])
    }

    @Test("the help for a refused user names the group that gets in")
    func groupNamed() {
        #expect(ConnectionFailure.help(.admin, group: "tokenbroker-admin").contains("'tokenbroker-admin'"))
        #expect(ConnectionFailure.help(.apps, group: "apps").contains("'apps'"))
    }

    @Test("a missing socket ends with 69, its path and how to start the broker")
    func missingSocket() throws {
        let report = try run(["get", "web"], on: "/nowhere/apps.sock")
        #expect(report.status == .unavailable)
        #expect(report.notes[0].contains("/nowhere/apps.sock"))
        #expect(report.notes[1].contains("systemctl start tokenbroker"))
    }

    @Test("a path that no socket can have is a usage error")
    func longPath() throws {
        #expect(try run(["list"], on: "/" + String(repeating: "x", count: 107)).status == .usage)
        #expect(try run(["list"], on: "/" + String(repeating: "x", count: 106)).status == .unavailable)
    }

    @Test(
        "what is no whole answer of a broker ends with 69",
        arguments: [
            [], ["HTTP/1.1 200 OK\r\nContent-Le"], ["HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"access_token\":"],
            ["SSH-2.0-OpenSSH_9.2\r\n"], ["HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\n<ht>"],
            ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"], ["HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"],
            ["HTTP/1.1 204 No Content\r\n\r\n"],
        ]
    )
    func garbage(pieces: [String]) throws {
        let report = try run(["get", "web"], on: ScriptedServer(pieces).path)
        #expect(report.status == .unavailable)
        #expect(report.notes[0].contains("is not a broker's whole answer"))
        #expect(report.output.isEmpty)
    }

    @Test("a broker that does not answer is given up at the deadline")
    func deadline() throws {
        let server = ScriptedServer(nil as [String]?)
        let client = BrokerClient(path: server.path, patience: .milliseconds(20))
        #expect(throws: ConnectionFailure.timedOut) { try client.answer(to: HTTPClientRequest(.get, "/")) }
    }

    @Test("a socket whose directory is closed to this user ends with 77", .enabled(if: geteuid() != 0))
    func closedDirectory() throws {
        let server = ScriptedServer([])
        let directory = String(server.path.prefix { $0 != "." }.dropLast("/broker".count))
        chmod(directory, 0)
        defer { chmod(directory, 0o700) }
        #expect(try run(["status"], on: server.path).status == .notPermitted)
    }
}
