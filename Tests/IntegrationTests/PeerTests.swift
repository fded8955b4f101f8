import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Who is asking", .blocking, .enabled(if: Curl.isPossible, Comment(rawValue: Curl.reason)))
struct PeerTests {
    /// Numbers that no host has given to anybody.
    private static let user: UInt32 = 47_110
    private static let group: UInt32 = 47_120
    private static let supplementary: UInt32 = 47_130
    private static let stranger = Identity(user: 47_111, group: 47_121)

    private static func identity(_ supplementary: UInt32...) -> Identity {
        Identity(user: user, group: group, supplementary: supplementary)
    }

    @Test(
        "a token is for the user, the primary group or the supplementary group that it allows, and for nobody else",
        arguments: ["{ user: 47110 }", "{ group: 47120 }", "{ group: 47130 }", "{ user: 47110, group: 47130 }"]
    )
    func grants(_ allow: String) throws {
        let site = try Site { settings, _ in settings.addToken("theirs", allow: allow) }
        let answer = try site.broker.apps(as: Self.identity(47_131, Self.supplementary)).send(.get, "/v1/tokens/theirs")
        #expect(answer.status == 200)
        #expect(try site.simulator.suggest(#require(answer.text("access_token"))) == 200)
        let denied = try site.broker.apps(as: Self.stranger).send(.get, "/v1/tokens/theirs")
        #expect(denied.code == "unknown_token")
        try site.broker.log.line(with: "Token denied", "token=theirs", "peer.uid=47111", "not allowed")
        // Root has no token by being root.
        #expect(try site.broker.fetch("theirs").code == "unknown_token")
    }

    @Test("all keys of one entry must hold, and entries are alternatives")
    func entries() throws {
        let allow = "{ user: 47110, group: 47130 }, { user: 47111 }"
        let site = try Site { settings, _ in settings.addToken("theirs", allow: allow) }
        func status(_ identity: Identity) throws -> Int {
            try site.broker.apps(as: identity).send(.get, "/v1/tokens/theirs").status
        }
        #expect(try status(Self.identity(Self.supplementary)) == 200)
        #expect(try status(Self.identity()) == 404)
        #expect(try status(Identity(user: 47_112, group: Self.supplementary)) == 404)
        #expect(try status(Self.stranger) == 200)
    }

    @Test("a user is known by name", .enabled(if: getpwnam("nobody") != nil, "this host has no user nobody"))
    func names() throws {
        let nobody = try #require(getpwnam("nobody")).pointee
        let site = try Site { settings, _ in settings.addToken("theirs", allow: "{ user: nobody }") }
        let identity = Identity(user: nobody.pw_uid, group: nobody.pw_gid)
        #expect(try site.broker.apps(as: identity).send(.get, "/v1/tokens/theirs").status == 200)
        #expect(try site.broker.apps(as: Self.stranger).send(.get, "/v1/tokens/theirs").status == 404)
    }

    @Test("only: keeps a grant to the surfaces that it names")
    func only() throws {
        let site = try Site { settings, _ in
            settings.addToken("routed", allow: "{ user: 47110, only: [routes] }")
            settings.addToken("fetched", allow: "{ user: 47110, only: [tokens, routes] }")
        }
        let curl = site.broker.apps(as: Self.identity())
        #expect(try curl.send(.get, "/v1/tokens/routed").code == "unknown_token")
        #expect(try curl.send(.get, "/v1/tokens/fetched").status == 200)
    }

    @Test("the list has what the caller may fetch, and never a value")
    func list() throws {
        let site = try Site { settings, _ in
            settings.addToken("a-theirs", allow: "{ user: 47110 }")
            settings.addToken("b-theirs", allow: "{ group: 47120 }", options: Site.onDemand)
        }
        try site.broker.log.line(with: "Token minted", "token=a-theirs")
        let answer = try site.broker.apps(as: Self.identity()).send(.get, "/v1/tokens")
        let expected: JSONValue = [
            "tokens": [
                ["name": "a-theirs", "kind": "ai-autocomplete", "state": "ready"],
                ["name": "b-theirs", "kind": "ai-autocomplete", "state": "idle"],
            ]
        ]
        #expect(answer.json == expected)
        #expect(try site.broker.apps(as: Self.stranger).send(.get, "/v1/tokens").json == ["tokens": []])
        #expect(try site.broker.get("/v1/tokens").json["tokens"]?.array?.map { $0["name"] } == ["web"])
    }

    @Test("whoami is the kernel's word")
    func whoami() throws {
        let site = try Site()
        let answer = try site.broker.apps(as: Self.identity(47_131, Self.supplementary)).send(.get, "/v1/whoami")
        #expect(answer.status == 200)
        #expect(answer.integer("uid") == Int64(Self.user))
        #expect(answer.integer("gid") == Int64(Self.group))
        let groups = try #require(answer.json["groups"]?.array).compactMap { $0.number?.int64 }
        #expect(Set(groups).isSuperset(of: [47_130, 47_131]))
        #expect(try #require(answer.integer("pid")) > 0)
    }

    @Test("the admin socket cannot even be reached by others")
    func closedAdminSocket() throws {
        let site = try Site()
        let admin = site.broker.admin(as: Self.identity(Self.supplementary))
        #expect(try admin.run([], "/healthz").ending == Curl.couldNotConnect)
    }

    @Test("operators operate, observers look, and others in the group may do neither")
    func rights() throws {
        let site = try Site { settings, _ in
            settings.operators = "[{ user: 47110, group: 47130 }, { user: 47115 }, { user: 47116 }]"
            settings.observers = "[{ user: 47116 }]"
        }
        func status(_ user: UInt32, _ method: HTTPMethod, _ target: String) throws -> (Int, String?) {
            let identity = Identity(user: user, group: Self.group, supplementary: [Self.supplementary])
            let answer = try site.broker.admin(as: identity).send(method, target)
            return (answer.status, answer.code)
        }
        for user: UInt32 in [47_110, 47_115] {
            #expect(try status(user, .get, "/v1/status") == (200, nil))
            #expect(try status(user, .post, "/v1/tokens/web/refresh") == (200, nil))
            #expect(try status(user, .post, "/v1/reload") == (200, nil))
            #expect(try status(user, .delete, "/v1/tokens/web") == (200, nil))
        }
        // An observer stays one although `operators` names it too.
        #expect(try status(47_116, .get, "/v1/status") == (200, nil))
        #expect(try status(47_116, .get, "/healthz") == (200, nil))
        #expect(try status(47_116, .get, "/readyz").0 != 403)
        for (method, target) in [
            (HTTPMethod.post, "/v1/tokens/web/refresh"), (.post, "/v1/reload"), (.delete, "/v1/tokens/web"),
        ] {
            #expect(try status(47_116, method, target) == (403, "not_permitted"))
        }
        for target in ["/v1/status", "/healthz", "/nothing"] {
            #expect(try status(47_119, .get, target) == (403, "not_permitted"))
        }
        try site.broker.log.line(with: "Administration denied", "peer.uid=47119")
        try site.broker.log.line(with: "Operator action", "action=reload", "peer.uid=47110")
    }
}
