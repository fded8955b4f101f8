import Testing

@testable import CommandLineTool

@Suite("Arguments")
struct ArgumentParserTests {
    private func invocation(_ line: String) throws -> (name: String, Invocation) {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(let invocation) = try CommandTable.parser.parse(words) else {
            throw CommandFailure.usage("not a command to run")
        }
        return (invocation.command.name, invocation)
    }

    @Test(
        "an option stands before or after the command, with its value behind a blank or an equals sign",
        arguments: [
            "--socket /s get a --min-ttl 60", "get --socket /s a --min-ttl=60", "get a --min-ttl 60 --socket=/s",
            "get --min-ttl 60 --socket /s -- a",
        ]
    )
    func optionPlaces(line: String) throws {
        let (name, invocation) = try invocation(line)
        #expect(name == "get")
        #expect(invocation.operands == ["a"])
        #expect(invocation[.socket] == "/s")
        #expect(invocation[.minimumLifetime] == "60")
        #expect(!invocation.has(.json))
    }

    @Test("a value may look like an option")
    func valueLikeOption() throws {
        #expect(try invocation("get a --end-user --json").1[.endUser] == "--json")
    }

    @Test("what follows the dashes belongs to the program, options and dashes included")
    func program() throws {
        let (name, invocation) = try invocation("exec a --env T -- env --json -- --help")
        #expect(name == "exec")
        #expect(invocation.operands == ["a"])
        #expect(invocation.program == ["env", "--json", "--", "--help"])
        #expect(invocation[.variable] == "T")
    }

    @Test("a command of two words has its operands after both")
    func twoWords() throws {
        let (name, invocation) = try invocation("token drop a")
        #expect(name == "token drop")
        #expect(invocation.operands == ["a"])
    }

    @Test(
        "arguments that mean nothing are refused with what was probably meant",
        arguments: [
            ("", "a command is missing"),
            ("stats", "unknown command 'stats'; did you mean 'status'?"),
            ("lsit", "unknown command 'lsit'; did you mean 'list'?"),
            ("rotate-everything", "unknown command 'rotate-everything'"),
            ("token", "'token' needs one of: refresh, drop"),
            ("device", "'device' needs one of: list, revoke, policy, verify-attestation, verify-assertion"),
            ("device policy", "'device policy' needs one of: get, set"),
            ("device policy gt", "unknown command 'gt' after 'device policy'; did you mean 'get'?"),
            ("device polcy get", "unknown command 'polcy' after 'device'; did you mean 'policy'?"),
            ("token refesh a", "unknown command 'refesh' after 'token'; did you mean 'refresh'?"),
            ("get", "'get' needs NAME"),
            ("get a b", "'get': one word too many: 'b'"),
            ("status now", "'status': one word too many: 'now'"),
            ("get a --feild x", "unknown option '--feild'; did you mean '--field'?"),
            ("--scoket /s get a", "unknown option '--scoket'; did you mean '--socket'?"),
            ("get a -x", "unknown option '-x'"),
            ("list --field a", "'list' has no option --field"),
            ("get a --field", "--field needs a value: --field FIELD"),
            ("get a --field=", "--field needs a value: --field FIELD"),
            ("get a --json=yes", "--json takes no value"),
            ("get a --json --json", "--json is given twice"),
            ("exec a", "'exec' needs the command to run after '--'"),
            ("exec a --", "'exec' needs the command to run after '--'"),
            ("exec a ls", "'exec': the command to run comes after '--': 'ls'"),
            ("exec a curl -H x", "the command to run comes after '--'"),
            ("exec -- ls", "'exec' needs NAME"),
            ("stats --help", "unknown command 'stats'; did you mean 'status'?"),
            ("get A", "'A' cannot be a token's name"),
            ("get a/b", "this cannot be a token's name"),
            ("get a --min-ttl soon", "--min-ttl takes 0 to 30d, such as 90, 60s, 5m: 'soon'"),
            ("get a --min-ttl 31d", "--min-ttl takes 0 to 30d, such as 90, 60s, 5m: '31d'"),
            ("get a --json --header", "--header and --json exclude each other"),
            ("exec a --env 1X -- ls", "--env takes letters, digits and '_', no digit first: '1X'"),
            ("exec a --env A=B -- ls", "--env takes letters, digits and '_', no digit first"),
            ("help hepl", "unknown command 'hepl'; did you mean 'help'?"),
        ]
    )
    func usageErrors(line: String, message: String) {
        let words = line.split(separator: " ").map(String.init)
        guard case .report(let report) = Tool.outcome(words, Surroundings()) else {
            Issue.record("the arguments were taken")
            return
        }
        #expect(report.status == .usage)
        #expect(report.notes.first?.hasPrefix("tokenbroker: \(message)") == true, "\(report.notes)")
        #expect(report.output.isEmpty)
    }

    @Test(
        "a key that was pasted in the place of a word is not repeated",
        arguments: [
            "sk_v1_CANARYone11111", "sk_v1_canary", "rd_sk_live_canary", "ghp_canary", "eyJhbGciOiJub25lIn0.canary.x",
        ]
    )
    func pastedKeys(key: String) {
        let lines = [
            "KEY", "token KEY", "secret rotate managed KEY", "get web KEY", "get web --KEY", "get web --KEY=1",
            "help KEY", "get KEY", "secret stage KEY", "secret rotate KEY", "get web --min-ttl KEY",
            "audit --since KEY", "exec web --env KEY- -- ls", "device revoke KEY",
        ]
        for line in lines {
            let words = line.replacing("KEY", with: key).split(separator: " ").map(String.init)
            let outcome = Tool.outcome(
                words + ["--socket", "/nowhere"],
                Surroundings(readSecret: { prompt in
                    #expect(!prompt.lowercased().contains("canary"), "\(line): \(prompt)")
                    return []
                })
            )
            guard case .report(let report) = outcome else {
                Issue.record("\(line) was taken")
                continue
            }
            #expect(!report.notes.joined().lowercased().contains("canary"), "\(line): \(report.notes)")
        }
    }

    @Test("a message that has no near miss offers none")
    func noNearMiss() {
        #expect(NearMiss.best(for: "rotate-everything", among: ["get", "exec", "list"]) == nil)
        #expect(NearMiss.best(for: "x", among: ["get"]) == nil)
        #expect(NearMiss.best(for: "", among: ["get"]) == nil)
    }

    @Test(
        "letters changed, added, left out or swapped count one each",
        arguments: [
            ("list", "list", 0), ("lost", "list", 1), ("lis", "list", 1), ("listt", "list", 1), ("lsit", "list", 1),
        ]
    )
    func distance(word: String, other: String, expected: Int) {
        #expect(NearMiss.distance(Array(word), Array(other)) == expected)
    }

    @Test(
        "durations are whole numbers with units, the longest first",
        arguments: [
            ("0", 0), ("90", 90), ("60s", 60), ("5m", 300), ("1h30m", 5400), ("30d", 2_592_000), ("1d2h3m4s", 93784),
            ("", nil), ("s", nil), ("-1", nil), ("+1", nil), ("1.5m", nil), ("5 m", nil), ("30m1h", nil), ("5m5m", nil),
            ("1m30", nil), ("5w", nil), ("٣s", nil), ("9223372036854775807d", nil), ("99999999999999999999", nil),
        ] as [(String, Int?)]
    )
    func durations(text: String, seconds: Int?) {
        #expect(DurationArgument(text)?.seconds == seconds)
    }
}
