import Testing

@testable import Upstream

@Suite("Origin")
struct OriginTests {
    @Test(
        "tells a loopback address from everything else",
        arguments: [
            ("http://127.0.0.1:80", true), ("http://127.1.2.3", true), ("http://[::1]:8080/x", true),
            ("HTTP://LocalHost/x", true), ("http://api.localhost", true), ("https://127.0.0.1", true),
            ("https://127.0.0.1.example.com", false), ("https://127.0.0", false),
            ("https://localhost.example.com", false),
            ("https://api.example.com/127.0.0.1", false), ("https://[2001:db8::1]", false),
        ]
    )
    func loopback(url: String, expected: Bool) throws {
        #expect(try #require(Origin(baseURL: url)).isLoopback == expected)
    }

    @Test("names host and port, and no more of the URL")
    func authority() throws {
        #expect(try #require(Origin(baseURL: "https://api.example.com:8443/a?b#c")).authority == "api.example.com:8443")
        #expect(try #require(Origin(baseURL: "https://api.example.com\\@x")).authority == "api.example.com")
    }

    @Test(
        "refuses plain HTTP to anyone else, user information, and what has no host",
        arguments: [
            "http://example.com", "http://127.0.0.256", "http://[::2]", "https://", "https://:80", "https://u:p@h", "h",
        ]
    )
    func refuses(url: String) {
        #expect(Origin(baseURL: url) == nil)
    }
}
