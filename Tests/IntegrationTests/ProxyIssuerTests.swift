import HTTPWire
import TestSupport
import Testing

@Suite("Behind a reverse proxy, where the user's own issuer token is the proof", .blocking, .with(.python))
struct ProxyIssuerTests {
    /// What the files say to change for it.
    private static func edits(_ front: FrontProxy) -> [FrontProxy.Edit] {
        switch front {
        case .nginx:
            [
                FrontProxy.Edit(line: "auth_basic \"AI\";", change: ""),
                FrontProxy.Edit(
                    line: "# proxy_set_header Authorization $http_authorization;",
                    change: "proxy_set_header Authorization $http_authorization;"
                ),
            ]
        case .caddy:
            [
                FrontProxy.Edit(
                    line: "handle_path /ai/* {\n        route {\n            import tokenbroker_users",
                    change: "handle_path /ai/* {\n        route {"
                ),
                FrontProxy.Edit(line: "# header_up Authorization", change: "header_up Authorization"),
                FrontProxy.Edit(
                    line: "copy_headers Authorization\n",
                    change: "copy_headers Authorization X-App-Version\n"
                ),
            ]
        }
    }

    /// What an identity provider would give a user; the simulator looks at no signature.
    private static func issued(_ claims: String) -> (String, String) {
        ("Authorization", "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.\(claims).c2lnbmF0dXJl")
    }

    private static let ann = issued("eyJzdWIiOiJhbm4iLCJleHAiOjMyNTAzNjgwMDAwfQ")
    private static let bob = issued("eyJzdWIiOiJib2IiLCJleHAiOjMyNTAzNjgwMDAwfQ")
    private static let whoAmI = "/ai/app-ai-gateway/v1/apps/example-issuer-a1b2c3/me"

    @Test("each user is that user at the provider, also after their token was revoked", arguments: FrontProxy.allCases)
    func users(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .issuerGateway, edits: Self.edits(front))
        for _ in 1...2 {
            for (user, proof) in [("ann", Self.ann), ("bob", Self.bob)] {
                let answer = try site.connect().exchange(.get, Self.whoAmI, headers: [proof])
                #expect(answer.status == 200)
                #expect(answer.text("user_id") == user)
            }
            let control = try Connection(port: site.simulator.httpPort)
            #expect(try control.exchange(.post, "/control/app-ai-gateway/revoke").status == 200)
        }
    }

    @Test("nobody comes in without a proof, or with two", arguments: FrontProxy.allCases)
    func proofs(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .issuerGateway, edits: Self.edits(front))
        for proofs in [[], [Self.ann, Self.bob], [("Authorization", "")], [("Authorization", "Bearer ")]] {
            let answer = try site.connect().exchange(.get, Self.whoAmI, headers: proofs)
            #expect((400...403).contains(answer.status))
        }
    }
}
