import Testing

@testable import Serving

@Suite("Paths")
struct PathTests {
    private static let strangers = [
        "", "//", "/v1", "/v1/", "/v1/tokens/", "/v1/tokens//web", "//v1/tokens/web", "/v1//tokens/web",
        "/v1/tokens/web/", "/v1/tokens/..", "/v1/tokens/../tokens/web", "/v1/./tokens/web", "/v1/tokens/we%62",
        "/v1/tokens/%2e%2e", "/v1%2Ftokens/web", "/v1/tokens\\web", "/v1/tokens/a\\b", "/V1/tokens/web", "/healthz/",
        "/healthz/..", "/Healthz", "/v1/tokens/web/other",
    ]

    @Test(
        "of the apps socket are compared as bytes",
        arguments: strangers + ["/", "/v1/tokens/web/refresh", "/v1/status"]
    )
    func apps(_ path: String) {
        #expect(AppsPath(Array(path.utf8)[...]) == nil)
    }

    @Test(
        "of the admin socket are compared as bytes",
        arguments: strangers + [
            "/v1/tokens//refresh", "/v1/tokens/../refresh", "/v1/tokens/a%62/refresh", "/v1/tokens",
        ]
    )
    func admin(_ path: String) {
        #expect(AdminPath(Array(path.utf8)[...]) == nil)
    }

    @Test("take a segment that is no token's name for an unknown token", arguments: ["Web", ".", "-a", "a b", "ä"])
    func notAName(_ segment: String) {
        guard case .token(nil)? = AppsPath(Array("/v1/tokens/\(segment)".utf8)[...]) else {
            Issue.record("not taken for a token")
            return
        }
    }
}
