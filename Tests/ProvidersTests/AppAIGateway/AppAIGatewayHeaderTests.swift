import Testing
import TokenBroker

@testable import Providers

@Suite("App AI Gateway: the headers of a request")
struct AppAIGatewayHeaderTests {
    private func headers(
        _ user: String,
        _ options: [String: String] = [:],
        endUser: String? = nil,
        appVersion: String? = nil
    ) throws(AuthorizationFault) -> [String] {
        let request = AppRequest(
            method: "POST",
            endUser: endUser,
            appVersion: appVersion,
            at: FakeSender.requestedAt
        )
        return try Gateway.provider(user, options, sender: FakeSender(500, ""))
            .headers(for: request, credential: TokenText("credential")!, secret: nil)
            .lines
    }

    @Test(
        "are the credential and a version, the broker's where no other is known",
        arguments: ["none", "issuer-token"]
    )
    func withoutUser(_ user: String) throws {
        let expected = ["Authorization: Bearer credential", "X-App-Version: \(Product.version)"]
        #expect(try headers(user) == expected)
        #expect(try headers(user, endUser: "not asked for") == expected)
    }

    @Test("name the user under the header of the application")
    func namedUser() throws {
        #expect(try headers("header", endUser: "u-1").contains("X-End-User-ID: u-1"))
        #expect(try headers("header", ["user_header": "X-Account"], endUser: "u-1").contains("X-Account: u-1"))
        let longest = String(repeating: "u", count: 128)
        #expect(try headers("header", endUser: longest).contains("X-End-User-ID: \(longest)"))
    }

    @Test(
        "are not made for a user whom the gateway would refuse",
        arguments: [nil, "", "a b", "ä", "a\n", "\u{7F}", String(repeating: "u", count: 129)]
    )
    func refusedUser(_ endUser: String?) {
        #expect(throws: AuthorizationFault.self) { try headers("header", endUser: endUser) }
    }

    @Test(
        "carry the request's version, else the configured one, never an empty one, and no more than 64 characters",
        arguments: [
            ("3.0", "3.0"), (nil, "2.1"), ("", "2.1"), ("  ", "2.1"),
            (String(repeating: "7", count: 65), String(repeating: "7", count: 64)),
        ]
    )
    func version(ofRequest: String?, expected: String) throws {
        let headers = try headers("none", ["app_version": "2.1"], appVersion: ofRequest)
        #expect(headers.last == "X-App-Version: \(expected)")
    }

    @Test("are not made with a version that no header can carry", arguments: ["1\r\nX: y", "ä", "1\u{0}"])
    func refusedVersion(_ version: String) {
        #expect(throws: AuthorizationFault.self) { try headers("none", appVersion: version) }
    }
}

@Suite("App AI Gateway: the kind")
struct AppAIGatewayKindTests {
    private let kind = AppAIGatewayProvider.kind

    private func options(_ user: String, _ rest: [String: String] = [:]) -> Options {
        Options(["app_id": "example-app-a1b2c3", "user": user].merging(rest) { $1 })
    }

    @Test("says what the credential is by how users are known")
    func credential() {
        let form = { (user: String, token: [String: String]) in
            kind.credential(provider: options(user), token: Options(token))
        }
        #expect(form("none", [:]) == CredentialForm(isSecret: true))
        #expect(form("header", [:]) == CredentialForm(isSecret: true, user: .named))
        #expect(form("issuer-token", [:]) == CredentialForm(user: .issuerToken(header: "Authorization")))
        #expect(
            form("issuer-token", ["issuer_token_header": "X-Token"])
                == CredentialForm(user: .issuerToken(header: "X-Token"))
        )
    }

    @Test("keeps exchanges below the gateway's 60 a minute, and leaves what is no exchange alone")
    func pace() {
        #expect(
            kind.pace(provider: options("issuer-token")) == MintPace(limit: 54, newcomers: 45, window: .seconds(60))
        )
        #expect(kind.pace(provider: options("none")) == nil)
        #expect(kind.pace(provider: options("header")) == nil)
    }

    @Test("knows a key of the management API from an application's")
    func wrongKey() {
        #expect(kind.secretPrefix == "agw_")
        #expect(kind.wrongSecretPrefixes == ["agw_mgmt_"])
    }

    @Test(
        "takes options that go together",
        arguments: [
            ("none", [:]), ("issuer-token", ["app_version": "1"]),
            ("header", ["user_header": "X-Account", "verify_as": "u-1"]), ("none", ["app_id": "a"]),
        ] as [(String, [String: String])]
    )
    func sound(user: String, rest: [String: String]) {
        #expect(kind.fault(provider: options(user, rest)) == nil)
    }

    @Test(
        "takes the header of an issuer token where the provider takes such a token, and nowhere else",
        arguments: [("issuer-token", true), ("header", false), ("none", false)]
    )
    func issuerTokenHeader(user: String, isTaken: Bool) {
        let token = Options(["issuer_token_header": "X-Issuer-Token"])
        #expect((kind.fault(provider: options(user, [:]), token: token) == nil) == isTaken)
        #expect(kind.fault(provider: options(user, [:]), token: Options()) == nil)
    }

    @Test(
        "refuses those that do not, by the key at fault",
        arguments: [
            ("none", ["user_header": "X-Account"], "user_header"),
            ("issuer-token", ["verify_as": "u-1"], "verify_as"),
            ("header", ["user_header": "AUTHORIZATION"], "user_header"),
            ("header", ["user_header": "x-api-key"], "user_header"),
            ("header", ["user_header": "X-App-Version"], "user_header"),
            ("header", ["verify_as": "a b"], "verify_as"),
            ("header", ["verify_as": String(repeating: "u", count: 129)], "verify_as"),
            ("none", ["app_id": "../x"], "app_id"), ("none", ["app_id": "A"], "app_id"),
            ("none", ["app_id": "-a"], "app_id"), ("none", ["app_id": String(repeating: "a", count: 64)], "app_id"),
        ] as [(String, [String: String], String)]
    )
    func faulty(user: String, rest: [String: String], key: String) throws {
        let fault = try #require(kind.fault(provider: options(user, rest)))
        #expect(fault.hasPrefix("\(key): "))
    }
}
