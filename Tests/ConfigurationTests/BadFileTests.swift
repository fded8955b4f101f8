import Testing

@testable import Configuration

/// A file that must be refused, and every line that says so.
struct BadFile: CustomTestStringConvertible {
    let about: String
    let text: String
    let lines: [String]

    init(_ about: String, _ text: String, _ lines: String...) {
        self.about = about
        self.text = text
        self.lines = lines
    }

    var testDescription: String { about }
}

@Suite("Bad configuration files")
struct BadFileTests {
    @Test("are refused with the place and the reason", arguments: texts + keys + values + references + grants)
    func refusesWithPlaceAndReason(_ file: BadFile) {
        #expect(complaints(file.text) == file.lines)
    }

    @Test("are reported as a whole, in the order of the text")
    func reportsEverything() {
        let text = """
            listn: { apps: /run/a.sock }
            secrets:
              one: { fil: /etc/one }
              Two: { file: /etc/two }
            providers:
              web: { kind: ai-autocomplete, secret: oen, timeout: 10 }
            tokens:
              web: { provider: web, product_id: 12, allow: [{ user: nobody-here }, {}] }
            limits: { wait_max: 5 }
            """
        #expect(
            complaints(text) == [
                "main.yaml:1:1: listn: unknown key; did you mean 'listen'?",
                "main.yaml:3:3: secrets.one: needs 'file', 'credential' or 'managed: true'",
                "main.yaml:3:10: secrets.one.fil: unknown key; did you mean 'file'?",
                "main.yaml:4:3: secrets.Two: not a name: [a-z0-9][a-z0-9._-]{0,62}",
                "main.yaml:6:41: providers.web.secret: no secret 'oen'; did you mean 'one'?",
                "main.yaml:6:55: providers.web.timeout: expected a duration such as 30s, 5m, 1h30m or 30d",
                "main.yaml:8:37: tokens.web.product_id: expected a UUID, 8-4-4-4-12 hexadecimal digits",
                "main.yaml:8:57: tokens.web.allow[0].user: no user 'nobody-here' on this host",
                "main.yaml:8:72: tokens.web.allow[1]: needs 'user', 'group' or 'unit': without a condition it would hold for everyone",
                "main.yaml:9:21: limits.wait_max: expected a duration such as 30s, 5m, 1h30m or 30d",
            ]
        )
    }

    static let texts = [
        BadFile("broken flow", "secrets: {", "main.yaml:2:1: not YAML: did not find expected node content"),
        BadFile("tab", "log:\n\tlevel: info", "main.yaml:2:1: not YAML: found character that cannot start any token"),
        BadFile("NUL", "log: { level: \u{0} }", "main.yaml:1:15: not YAML: control characters are not allowed"),
        BadFile("duplicate key", "log: {}\nlog: {}", "main.yaml:2:1: key 'log' is given twice, first at 1:1"),
        BadFile("two documents", "log: {}\n---\nlog: {}", "main.yaml:2:1: a second document: a file is one"),
        BadFile(
            "anchor",
            "log: &a { level: info }",
            "main.yaml:1:6: anchors and aliases are not taken: write the value out"
        ),
        BadFile("alias", "log: *a", "main.yaml:1:6: anchors and aliases are not taken: write the value out"),
        BadFile(
            "tag",
            "log: { level: !!str info }",
            "main.yaml:1:15: tags are not taken: a value has the type of its key"
        ),
        BadFile(
            "merge key",
            "log: { <<: { level: info } }",
            "main.yaml:1:8: merge keys are not taken: write the values out"
        ),
        BadFile("mapping as key", "? { a: b }\n: c", "main.yaml:1:3: a key must be a single word"),
        BadFile("too deep", String(repeating: "[", count: 40), "main.yaml:1:33: nested deeper than 32 levels"),
        BadFile("too long", String(repeating: "#", count: 1 << 20) + "#", "main.yaml: is longer than 1048576 bytes"),
        BadFile("a list", "- a", "main.yaml:1:1: expected a mapping, found a list"),
    ]

    static let keys = [
        BadFile("later version's key", "clusters: {}", "main.yaml:1:1: clusters: unknown key"),
        BadFile(
            "near miss inside",
            "log: { lvel: info }",
            "main.yaml:1:8: log.lvel: unknown key; did you mean 'level'?"
        ),
        BadFile(
            "no name",
            "secrets: { a b: { file: /a } }",
            "main.yaml:1:12: secrets.…: not a name: [a-z0-9][a-z0-9._-]{0,62}"
        ),
        BadFile(
            "managed",
            "secrets: { a: { managed: true } }",
            "main.yaml:1:26: secrets.a.managed: a managed secret is kept in the store: configure 'store'"
        ),
        BadFile(
            "two sources",
            "secrets:\n  a: { file: /a, credential: a }",
            "main.yaml:2:3: secrets.a: has more than one of 'file', 'credential' and 'managed': a secret has one source"
        ),
        BadFile(
            "near miss of a missing key, beside keys that cannot be judged without it",
            "providers:\n  a: { kimd: x, anything: y }\ntokens:\n  b: { provdier: a, product_id: x, alow: [] }",
            "main.yaml:2:3: providers.a: needs 'kind'",
            "main.yaml:2:8: providers.a.kimd: unknown key; did you mean 'kind'?",
            "main.yaml:4:3: tokens.b: needs 'provider'",
            "main.yaml:4:8: tokens.b.provdier: unknown key; did you mean 'provider'?"
        ),
        BadFile("missing key of the store", "store: { path: /a }", "main.yaml:1:1: store: needs 'key'"),
        BadFile(
            "missing kind",
            "providers:\n  a: { secret: x, anything: y }",
            "main.yaml:2:3: providers.a: needs 'kind'"
        ),
    ]

    static let values = [
        BadFile(
            "scalar for a mapping",
            "secrets: { a: some-text }",
            "main.yaml:1:15: secrets.a: expected a mapping, found a single value"
        ),
        BadFile("nothing for a mapping", "secrets:", "main.yaml:1:9: secrets: expected a mapping, found nothing"),
        BadFile(
            "JSON's null",
            #"{"log":{"level":null}}"#,
            "main.yaml:1:17: log.level: expected one of error, warning, notice, info, debug, trace, found nothing"
        ),
        BadFile(
            "mapping for a list",
            "operators: { user: root }",
            "main.yaml:1:12: operators: expected a list, found a mapping"
        ),
        BadFile(
            "near miss of a word",
            "log: { level: warnign }",
            "main.yaml:1:15: log.level: expected one of error, warning, notice, info, debug, trace; did you mean 'warning'?"
        ),
        BadFile(
            "relative socket",
            "listen: { apps: run/a.sock }",
            "main.yaml:1:17: listen.apps: expected an absolute path of a file"
        ),
        BadFile(
            "NUL in a path",
            #"listen: { apps: "/run/a\0b" }"#,
            "main.yaml:1:17: listen.apps: has a control character in it"
        ),
        BadFile(
            "empty text",
            "listen: { apps: '' }",
            "main.yaml:1:17: listen.apps: expected an absolute path, found an empty text"
        ),
        BadFile(
            "108 bytes of socket path",
            "listen: { apps: /\(String(repeating: "a", count: 107)) }",
            "main.yaml:1:17: listen.apps: longer than the 107 bytes that the path of a socket may have"
        ),
        BadFile(
            "one path for both sockets",
            "listen: { apps: /run/a.sock, admin: /run//a.sock }",
            "main.yaml:1:37: listen.admin: both sockets have this path"
        ),
        BadFile(
            "the other's default path",
            "listen: { apps: /run/tokenbroker-admin/admin.sock }",
            "main.yaml:1:17: listen.apps: both sockets have this path"
        ),
        BadFile(
            "store key without a scheme",
            "store: { key: /etc/key }",
            "main.yaml:1:15: store.key: expected credential:NAME or file:PATH"
        ),
        BadFile(
            "relative key file",
            "store: { key: 'file:key' }",
            "main.yaml:1:15: store.key: expected credential:NAME or file:PATH"
        ),
        BadFile(
            "credential with a slash",
            "secrets: { a: { credential: ../x } }",
            "main.yaml:1:29: secrets.a.credential: expected the name of a credential, which is a file name"
        ),
        BadFile(
            "no number",
            "limits: { end_users: many }",
            "main.yaml:1:22: limits.end_users: expected a whole number from 1 to 10000000"
        ),
        BadFile(
            "number beyond any",
            "limits: { end_users: 99999999999999999999 }",
            "main.yaml:1:22: limits.end_users: expected a whole number from 1 to 10000000"
        ),
        BadFile(
            "duration out of bounds",
            "limits: { mint_deadline: 0s }",
            "main.yaml:1:26: limits.mint_deadline: expected a duration from 1s to 1h"
        ),
        BadFile(
            "overflowing duration",
            "limits: { wait_max: 9223372036854775807d }",
            "main.yaml:1:21: limits.wait_max: expected a duration such as 30s, 5m, 1h30m or 30d"
        ),
        BadFile(
            "lifetime beyond the maximum",
            "limits: { max_lifetime: 1h, default_lifetime: 2h }",
            "main.yaml:1:47: limits.default_lifetime: expected a duration from 1s to 1h"
        ),
        BadFile("unknown user to become", "run_as: ghost", "main.yaml:1:9: run_as: no such user on this host"),
        BadFile(
            "unknown operator",
            "operators: [{ group: wheel }]",
            "main.yaml:1:22: operators[0].group: no group 'wheel' on this host"
        ),
        BadFile(
            "number that means no one",
            "observers: [{ user: 4294967295 }]",
            "main.yaml:1:21: observers[0].user: no user '4294967295' on this host"
        ),
    ]

    static let references = [
        BadFile(
            "unknown kind",
            "providers: { a: { kind: ai-autcomplete, whatever: 1 } }",
            "main.yaml:1:25: providers.a.kind: unknown kind 'ai-autcomplete'; did you mean 'ai-autocomplete'? known kinds: ai-autocomplete, chatty, varied"
        ),
        BadFile(
            "a kind like no other",
            "providers: { a: { kind: palbase } }",
            "main.yaml:1:25: providers.a.kind: unknown kind 'palbase'; known kinds: ai-autocomplete, chatty, varied"
        ),
        BadFile(
            "no address and options of the kind",
            "secrets: { k: { file: /k } }\nproviders:\n  a: { kind: chatty, secret: k, timestamp: second }",
            "main.yaml:3:3: providers.a: needs 'base_url': kind chatty has no public address",
            "main.yaml:3:3: providers.a: needs 'bundle_id'",
            "main.yaml:3:44: providers.a.timestamp: expected one of seconds, milliseconds; did you mean 'seconds'?"
        ),
        BadFile(
            "tls",
            """
            secrets: { k: { file: /k } }
            providers:
              a: { kind: ai-autocomplete, secret: k, tls: { ca_file: /nowhere/ca.pem, pins: [x] } }
              b: { kind: ai-autocomplete, secret: k, tls: { ca_file: /dev/null } }
            """,
            "main.yaml:3:58: providers.a.tls.ca_file: cannot be read: No such file or directory",
            "main.yaml:3:82: providers.a.tls.pins[0]: expected a pin: a SHA-256 in base64, 44 characters",
            "main.yaml:4:58: providers.b.tls.ca_file: is not a PEM file of certificates"
        ),
        BadFile(
            "token of a provider that is not there",
            "tokens: { a: { provider: web, product_id: x, allow: [{ user: root }] } }",
            "main.yaml:1:26: tokens.a.provider: no provider 'web'"
        ),
        BadFile(
            "token's required option",
            """
            secrets: { k: { file: /k } }
            providers: { web: { kind: ai-autocomplete, secret: k } }
            tokens:
              a: { provider: web, refresh: ahaed, default_lifetime: 31d, end_user: x }
            """,
            "main.yaml:4:3: tokens.a: needs 'product_id'",
            "main.yaml:4:32: tokens.a.refresh: expected one of ahead, on-demand; did you mean 'ahead'?",
            "main.yaml:4:57: tokens.a.default_lifetime: expected a duration from 1s to 30d",
            "main.yaml:4:62: tokens.a.end_user: unknown key"
        ),
    ]

    static let grants = [
        grant(
            "unit without its kind",
            "{ unit: api }",
            "main.yaml:3:57: tokens.a.allow[0].unit: expected the name of a service or a scope; did you mean 'api.service'?"
        ),
        grant(
            "unit of a misspelt kind",
            "{ unit: api.servcie }",
            "main.yaml:3:57: tokens.a.allow[0].unit: expected the name of a service or a scope, such as api.service; did you mean 'api.service'?"
        ),
        grant(
            "unit that holds no processes",
            "{ user: api, unit: api.socket }",
            "main.yaml:3:68: tokens.a.allow[0].unit: expected the name of a service or a scope, such as api.service"
        ),
        grant(
            "misspelt unit key beside a user",
            "{ user: api, units: api.service }",
            "main.yaml:3:62: tokens.a.allow[0].units: unknown key; did you mean 'unit'?"
        ),
        grant(
            "executable alone",
            "{ executable: /usr/bin/x }",
            "main.yaml:3:49: tokens.a.allow[0]: needs 'user', 'group' or 'unit' beside 'executable': anybody can start a program"
        ),
        grant(
            "executable by a relative path",
            "{ user: api, executable: bin/x }",
            "main.yaml:3:74: tokens.a.allow[0].executable: expected an absolute path of a file"
        ),
        grant(
            "no condition",
            "{ only: [tokens] }",
            "main.yaml:3:49: tokens.a.allow[0]: needs 'user', 'group' or 'unit': without a condition it would hold for everyone"
        ),
        grant(
            "empty only",
            "{ user: api, only: [] }",
            "main.yaml:3:68: tokens.a.allow[0].only: names nothing: leave it out for all"
        ),
        grant(
            "unknown surface",
            "{ user: api, only: [route] }",
            "main.yaml:3:69: tokens.a.allow[0].only[0]: expected one of tokens, authorize, forward-auth, routes; did you mean 'routes'?"
        ),
        grant(
            "unknown group beside a user",
            "{ user: api, group: appz }",
            "main.yaml:3:69: tokens.a.allow[0].group: no group 'appz' on this host"
        ),
    ]

    private static func grant(_ about: String, _ entry: String, _ line: String) -> BadFile {
        let text = """
            secrets: { k: { file: /k } }
            providers: { web: { kind: chatty, secret: k, base_url: 'https://h', bundle_id: b } }
            tokens: { a: { provider: web,           allow: [\(entry)] } }
            """
        return BadFile(about, text, line)
    }
}
