import Testing
import TokenBroker

@testable import Configuration

/// Keys are pasted where names belong; no error may repeat them.
@Suite("Discretion of errors")
struct DiscretionTests {
    static let keys = [
        "sk_v1_canary", "pk_v1_canary", "agw_mgmt_canary", "rd_pk_canary", "canary7f3a9c2e1b", "sk-canary-1",
        "eyJhbGciOiJIUzI1NiJ9.canary.x", "pb_demo_scanary", "canary+/=", "canarycanarycanarycanary",
    ]
    static let places = [
        "secrets: KEY", "secrets: { a: KEY }", "secrets: { KEY: {} }", "secrets: { a: { KEY: x } }",
        "secrets: { a: { credential: 'KEY/x' } }", "secrets: { a: { file: KEY } }", "secrets: { KEY: 1, KEY: 2 }",
        "store: { key: KEY }", "store: { key: 'key:KEY' }", "KEY", "KEY: x", "[KEY]", "log: { level: KEY }",
        "run_as: KEY", "operators: [{ user: KEY }]", "operators: [KEY]", "limits: { wait_max: KEY }",
        "limits: { end_users: KEY }", "listen: { apps: KEY }",
        "providers: { a: { kind: KEY } }", "providers: { a: { kind: chatty, secret: KEY } }",
        "providers: { a: { kind: chatty, base_url: KEY, bundle_id: [KEY], timestamp: KEY } }",
        "providers: { a: { kind: chatty, base_url: 'https://u:KEY@h' } }", "tokens: { a: { provider: KEY } }",
        "tokens: { a: { allow: [{ user: root, only: [KEY] }] } }", "log: { level: \"KEY\\0\" }", "log: !KEY info",
        "log: &KEY info", "log: *KEY", "log: { level: KEY",
    ]

    @Test("no key that was put in the wrong place is repeated", arguments: places)
    func repeatsNoKey(_ place: String) {
        for key in Self.keys {
            let lines = complaints(place.replacing("KEY", with: key))
            #expect(!lines.isEmpty, "\(place) was taken")
            #expect(!lines.contains { $0.contains("canary") }, "\(place): \(lines)")
        }
    }

    @Test(
        "a key that the configuration declares is repeated and suggested, though keys of providers begin so",
        arguments: [
            ("key_text: x", "key_text: expected one of as-is, without-prefix"),
            ("key_texts: as-is", "…: unknown key; did you mean 'key_text'?"),
        ]
    )
    func repeatsDeclaredKeys(_ option: String, _ complaint: String) {
        let lines = complaints(
            "secrets: { a: { file: /a } }\nproviders: { p: { kind: chatty, base_url: 'https://h', bundle_id: b, "
                + "secret: a, \(option) } }"
        )
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix(" providers.p.\(complaint)") == true, "\(lines)")
    }

    @Test("a name that could be a key is not suggested in the place of another one")
    func suggestsNoKey() {
        let lines = complaints(
            "secrets: { sk-canary-1: { file: /a } }\nproviders: { p: { kind: chatty, base_url: 'https://h', "
                + "bundle_id: b, secret: sk-canary-2 } }"
        )
        #expect(lines.count == 1)
        #expect(!lines.contains { $0.contains("canary") }, "\(lines)")
    }

    @Test(
        "names as people give them are repeated",
        arguments: ["autocomplete-sk", "web01", "key", "a.b_c-2026-11", "tls1.3"]
    )
    func repeatsNames(_ name: String) {
        #expect(Quotation(name)?.description == "'\(name)'")
    }
}
