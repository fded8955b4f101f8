import JSON
import Testing

@testable import CommandLineTool

@Suite("Output")
struct OutputTests {
    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    private func lines(_ report: Report) -> [String] {
        String(decoding: report.output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    static let status = """
        {"version":"1.2.3","pid":42,"started_at":6400,"ready":false,
         "configuration":{"path":"/etc/tokenbroker/tokenbroker.yaml","loaded_at":9940,"last_error":"line 3: no\\nline 4: nor this"},
         "tokens":[
          {"name":"web","kind":"ai-autocomplete","provider":"autocomplete","state":"ready","generation":7,
           "expires_at":13120,"expires_in":3120,"next_attempt_at":12000,"mints":5,"failures":0,"failures_in_a_row":0,
           "waiters":0,"last_error":null},
          {"name":"partner-with-a-name","kind":"oauth2","provider":"partner","state":"secret_rejected",
           "generation":null,"expires_at":null,"expires_in":null,"next_attempt_at":10030,"mints":0,"failures":12,
           "failures_in_a_row":3,"waiters":4,
           "last_error":{"code":"provider_rejected_secret","detail":"give a new \\u001b[2Jone","at":9980,
             "provider_status":401,"provider_code":"invalid_client"}},
          {"name":"bare"}],
         "warnings":["the clock jumped"]}
        """

    @Test("the status is a table, with the last error below its row")
    func statusTable() throws {
        let report = StatusReport(try json(Self.status), Surroundings(now: 10000)).report
        #expect(
            lines(report) == [
                "tokenbroker 1.2.3, not ready, pid 42, started 1h ago",
                "configuration /etc/tokenbroker/tokenbroker.yaml, loaded 1m ago",
                "  not reloaded: line 3: no",
                "  not reloaded: line 4: nor this",
                "",
                "NAME                 PROVIDER      STATE            EXPIRES  NEXT ATTEMPT  MINTS  FAILURES         WAITERS",
                "web                  autocomplete  ready            in 52m   in 33m        5      0                0",
                "partner-with-a-name  partner       secret_rejected  -        in 30s        0      12 (3 in a row)  4",
                "  last error 20s ago: provider_rejected_secret: give a new \\u{1b}[2Jone"
                    + " (the provider answered 401 invalid_client)",
                "bare                 -             -                -        -             -      -                -",
                "warning: the clock jumped",
                "",
            ]
        )
    }

    @Test("a status without anything in it is still shown")
    func emptyStatus() throws {
        let report = StatusReport(try json("{}"), Surroundings()).report
        #expect(lines(report) == ["tokenbroker -", "", "no tokens are configured", ""])
    }

    @Test("states have colours on a terminal, and no column moves")
    func colours() throws {
        let plain = lines(StatusReport(try json(Self.status), Surroundings(now: 10000)).report)
        let coloured = lines(
            StatusReport(try json(Self.status), Surroundings(now: 10000, outputIsTerminal: true)).report
        )
        #expect(coloured.contains { $0.contains("\u{1B}[32mready\u{1B}[0m  ") })
        #expect(coloured.contains { $0.contains("\u{1B}[31msecret_rejected\u{1B}[0m  ") })
        let stripped = coloured.map {
            $0.replacing("\u{1B}[32m", with: "").replacing("\u{1B}[31m", with: "").replacing("\u{1B}[0m", with: "")
        }
        #expect(stripped == plain)
    }

    @Test(
        "colour is for terminals whose user has not said no",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
        ] as [(Bool, [String: String], Bool)]
    )
    func colourChoice(isTerminal: Bool, variables: [String: String], expected: Bool) {
        #expect(Surroundings(variables: variables, outputIsTerminal: isTerminal).usesColour == expected)
    }

    @Test("a list is a table of names, kinds and states")
    func list() throws {
        let answer = try json(
            #"{"tokens":[{"name":"a","kind":"oauth2","state":"idle"},{"name":"bb","kind":"roadie"}]}"#
        )
        let report = TokenList.report(answer, Surroundings())
        #expect(lines(report) == ["NAME  KIND    STATE", "a     oauth2  idle", "bb    roadie  -", ""])
    }

    @Test("an empty list prints nothing but a note")
    func emptyList() throws {
        let report = TokenList.report(try json(#"{"tokens":[]}"#), Surroundings())
        #expect(report.output.isEmpty)
        #expect(report.notes.count == 1)
        #expect(report.status == .done)
    }

    @Test("a peer is lines of names and values, with a dash for what is not known")
    func whoami() throws {
        let answer = try json(
            #"{"uid":33,"gid":33,"groups":[4,33],"pid":9,"unit":"api.service","executable":null}"#
        )
        #expect(
            lines(PeerDescription.report(answer)) == [
                "uid         33", "gid         33", "groups      4 33", "pid         9", "unit        api.service",
                "executable  -", "",
            ]
        )
    }

    @Test("what became of a token is told in a line")
    func tokenNews() throws {
        let refreshed = try json(#"{"name":"a","generation":12,"expires_at":1,"expires_in":3120}"#)
        #expect(TokenNews.refreshed("a", refreshed) == "a: refreshed, generation 12, expires in 52m")
        #expect(TokenNews.refreshed("a", try json(#"{"expires_in":null}"#)) == "a: refreshed")
        #expect(TokenNews.dropped("a", try json(#"{"dropped":true}"#)) == "a: dropped")
        #expect(TokenNews.dropped("a", try json(#"{"dropped":false}"#)) == "a: nothing was held")
    }

    @Test(
        "times are told by how far off they are, whatever the number",
        arguments: [
            (0, "now"), (1, "in 1s"), (59, "in 59s"), (60, "in 1m"), (3120, "in 52m"), (3599, "in 59m"),
            (3600, "in 1h"), (12000, "in 3h20m"), (86400, "in 1d"), (180_000, "in 2d2h"), (-1, "1s ago"),
            (-12000, "3h20m ago"), (Int64.max, "in 106751991167300d15h"), (Int64.min, "106751991167300d15h ago"),
        ] as [(Int64, String)]
    )
    func relativeTimes(seconds: Int64, text: String) {
        #expect(RelativeTime.text(secondsFromNow: seconds) == text)
    }

    @Test("a time too far off to subtract is still told")
    func saturatedTimes() {
        #expect(RelativeTime.text(Int64.min, now: 1) == "106751991167300d15h ago")
        #expect(RelativeTime.text(Int64.max, now: -1) == "in 106751991167300d15h")
    }

    @Test(
        "what would act on a terminal is written as its code",
        arguments: [
            ("plain ünï 日本", "plain ünï 日本"), ("\u{1B}[2J", "\\u{1b}[2J"), ("a\nb\r\tc", "a\\u{a}b\\u{d}\\u{9}c"),
            ("\u{9B}1m", "\\u{9b}1m"), ("\u{202E}cba", "\\u{202e}cba"), ("\u{7F}\u{0}", "\\u{7f}\\u{0}"),
            ("\u{2028}", "\\u{2028}"),
        ]
    )
    func printable(text: String, escaped: String) {
        #expect(PrintableText.escaped(text) == escaped)
    }

    @Test("JSON is indented, and what its writer leaves and a terminal acts on is escaped")
    func jsonReport() throws {
        let report = try json("{\"a\":\"\u{9B}2J\u{7F}é\"}").report
        #expect(lines(report) == ["{", "  \"a\": \"\\u009b2J\\u007fé\"", "}", ""])
        #expect(try JSONValue(parsing: report.output)["a"]?.string == "\u{9B}2J\u{7F}é")
    }
}
