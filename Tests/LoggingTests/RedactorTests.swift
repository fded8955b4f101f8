import Testing

@testable import Logging

@Suite("Redactor")
struct RedactorTests {
    static let secrets = [
        "sk_v1_x", "at_v1_0123456789abcdef", "pk_v1_Ab-9", "rd_sk_live_77", "rd_pk_1", "agw_mgmt_0123", "agw_Zz09",
        "pb_abcd1234_s0123456789", "sk_live_00ff", "sk-proj-0123456789abcdef",
        "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "Bearer 0123456789abcdef",
        "bearer opaque.token~x", "Basic Y2xpZW50OnNlY3JldA==",
    ]

    @Test("replaces a key or token of a known kind, wherever it stands", arguments: secrets)
    func secret(_ secret: String) {
        #expect(Redactor.redact(secret) == "<redacted>")
        #expect(Redactor.redact("the key \(secret) is wrong") == "the key <redacted> is wrong")
        #expect(Redactor.redact("{\"k\":\"\(secret)\"}") == "{\"k\":\"<redacted>\"}")
        #expect(Redactor.redact("k=\(secret)&l=\(secret)") == "k=<redacted>&l=<redacted>")
        #expect(Redactor.redact("%3A\(secret)") == "%3A<redacted>")
    }

    @Test(
        "leaves names and prose alone",
        arguments: [
            "", "autocomplete-sk", "task-0123456789abcdef", "disk-0123456789abcdef", "bearer of news", "sk-web",
            "at_v1_", "eyJ", "keyJabcdefghijklmnop", "Basic check", "/run/tokenbroker/apps.sock", "größer als €",
        ]
    )
    func innocent(_ text: String) {
        #expect(Redactor.redact(text) == text)
    }
}
