import Testing

@testable import Configuration

@Suite("Values")
struct ValueTests {
    @Test(
        "durations add up their units",
        arguments: [
            ("30s", 30), ("5m", 300), ("1h30m", 5400), ("30d", 2_592_000), ("1d2h3m4s", 93784), ("0s", 0),
            ("9223372036854775807s", .max),
        ] as [(String, Int64)]
    )
    func durations(_ text: String, _ seconds: Int64) {
        #expect(Duration(configurationText: text) == .seconds(seconds))
    }

    @Test(
        "what is no duration is none",
        arguments: [
            "", "5", "s", "5x", "5 m", "-5s", "+5s", "1.5h", "5S", "30m1h", "5s5s", "1h30", "٣s", "5s\u{301}",
            "9223372036854775808s", "106751991167301d", "106751991167300d9223372036854775807s",
        ]
    )
    func noDurations(_ text: String) {
        #expect(Duration(configurationText: text) == nil)
    }

    @Test("durations are printed as they are written", arguments: ["0s", "1s", "1h30m", "30d", "1d2h3m4s"])
    func printsDurations(_ text: String) {
        #expect(Duration(configurationText: text)?.configurationText == text)
    }

    @Test(
        "base URLs keep their prefix and lose slashes at the end",
        arguments: [
            ("https://api.example.com", "https://api.example.com"), ("https://h/", "https://h"),
            ("https://h/a/b/", "https://h/a/b"), ("HTTPS://H.Example:65535/V2", "https://h.example:65535/V2"),
            ("http://127.0.0.1:80", "http://127.0.0.1:80"), ("http://127.255.0.9", "http://127.255.0.9"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"), ("http://localhost:1", "http://localhost:1"),
            ("https://[2001:db8::1]", "https://[2001:db8::1]"),
        ]
    )
    func baseURLs(_ text: String, _ expected: String) throws {
        #expect(try BaseURL(text).text == expected)
    }

    @Test(
        "base URLs are refused that would lead elsewhere or carry more",
        arguments: [
            ("api.example.com", .notAURL), ("ftp://h", .notAURL), ("//h", .notAURL), ("", .notAURL),
            ("http://example.com", .insecure), ("http://127.0.0.1.example.com", .insecure),
            ("http://128.0.0.1", .insecure),
            ("http://127.1", .insecure), ("http://0.0.0.0", .insecure), ("http://[::2]", .insecure),
            ("http://[::ffff:127.0.0.1]", .insecure), ("http://localhost.example.com", .insecure),
            ("https://user@h", .hasUserinfo), ("https://user:CANARY@h", .hasUserinfo),
            ("http://127.0.0.1@example.com", .hasUserinfo),
            ("https://h?q", .hasQuery), ("https://h/?", .hasQuery), ("https://h/#f", .hasFragment),
            ("https://", .badHost), ("https:///path", .badHost), ("https://h_h", .badHost), ("https://[::1", .badHost),
            ("https://[h]", .badHost), ("https://h\\@g", .hasUserinfo), ("https://h h", .badHost),
            ("https://münchen.example", .badHost), ("https://h:", .badPort), ("https://h:0", .badPort),
            ("https://h:65536", .badPort), ("https://h:+1", .badPort), ("https://[::1]x", .badPort),
            ("https://h/a/../b", .badPath), ("https://h/./b", .badPath), ("https://h/a//b", .badPath),
            ("https://h/%2e%2e", .badPath), ("https://h/a b", .badPath), ("https://h/\\", .badPath),
        ] as [(String, BaseURL.Fault)]
    )
    func badBaseURLs(_ text: String, _ fault: BaseURL.Fault) {
        #expect(throws: fault) { try BaseURL(text) }
    }

    @Test(
        "an endpoint's address is kept as it stands, with its query and the slash at its end",
        arguments: [
            ("https://h/token", "https://h/token"), ("https://h/o/token/", "https://h/o/token/"),
            ("HTTPS://H/token?tenant=A&b=%20c/d?e", "https://h/token?tenant=A&b=%20c/d?e"),
            ("https://h:1?x", "https://h:1?x"), ("https://h/", "https://h/"), ("https://h/token?", "https://h/token?"),
        ]
    )
    func endpoints(_ text: String, _ expected: String) throws {
        #expect(try BaseURL(text, isEndpoint: true).text == expected)
    }

    @Test(
        "an endpoint's address is refused on the same terms as any other",
        arguments: [
            ("https://h/token#f", .hasFragment), ("https://h/token?a#f", .hasFragment), ("http://h/token?a", .insecure),
            ("https://u:CANARY@h/?a", .hasUserinfo), ("https://h//", .badPath), ("https://h/a/../b?c", .badPath),
            ("https://h/token?a b", .badQuery), ("https://h/token?\"", .badQuery), ("https://h/token?ü", .badQuery),
        ] as [(String, BaseURL.Fault)]
    )
    func badEndpoints(_ text: String, _ fault: BaseURL.Fault) {
        #expect(throws: fault) { try BaseURL(text, isEndpoint: true) }
    }

    @Test(
        "the word that was meant is found",
        arguments: [
            ("secert", "secret"), ("secrt", "secret"), ("secrett", "secret"), ("sacret", "secret"), ("tokens", "token"),
            ("base-url", "base_url"),
        ]
    )
    func findsNearMiss(_ word: String, _ meant: String) {
        #expect(NearMiss.of(word, among: ["token", "secret", "base_url", "timeout"]) == meant)
    }

    @Test(
        "a word like no other suggests nothing",
        arguments: ["zzz", "x", "", String(repeating: "secret", count: 1000)]
    )
    func findsNoNearMiss(_ word: String) {
        #expect(NearMiss.of(word, among: ["token", "secret", "base_url", "timeout"]) == nil)
    }
}
