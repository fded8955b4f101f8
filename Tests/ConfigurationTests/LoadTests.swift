import Testing
import TokenBroker

@testable import Configuration

@Suite("Loading a configuration")
struct LoadTests {
    @Test("begins behind a byte order mark, which is no part of it")
    func byteOrderMark() throws {
        #expect(try load("\u{FEFF}operators: []\nlimits: { end_users: 5 }\n").definition.limits.endUsers == 5)
        #expect(complaints("\u{FEFF}operator: []") == complaints("operator: []"))
    }

    @Test("reads every section")
    func readsEverySection() throws {
        let configuration = try load(
            """
            listen: { apps: /run/a.sock, admin: /run/b.sock }
            store: { path: /var/b.sqlite, key: credential:store-key, previous_key: file:/etc/old.key }
            operators: [{ group: apps }, { user: root }]
            observers: [{ user: 65534, group: "2001" }]
            log: { level: debug }
            run_as: api
            secrets: { sk: { file: /etc/sk }, other: { credential: other } }
            providers:
              web: { kind: ai-autocomplete, secret: sk, base_url: HTTPS://Example.COM:8443/v2/, timeout: 1m30s }
            tokens:
              off:
                provider: web
                product_id: 0B9F6F0E-1D2C-4C59-9A6E-3F1F0F6F2A77
                refresh: on-demand
                default_lifetime: 1h
                allow: [{ user: www-data, only: [tokens, forward-auth] }, { user: api, group: apps }]
            limits: { connections_per_uid: 7, wait_max: 1m, max_lifetime: 2h }
            """
        )
        #expect(configuration.listen == ListenSettings(apps: "/run/a.sock", admin: "/run/b.sock"))
        #expect(
            configuration.store
                == StoreSettings(
                    path: "/var/b.sqlite",
                    key: .credential(name: "store-key"),
                    previousKey: .file(path: "/etc/old.key")
                )
        )
        #expect(configuration.operators == [AdminPrincipal(group: 2001), AdminPrincipal(user: 0)])
        #expect(configuration.observers == [AdminPrincipal(user: 65534, group: 2001)])
        #expect(configuration.adminGroup == 2001)
        #expect(configuration.logLevel == .debug)
        #expect(configuration.runAs == "api")
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.definition == Self.expectedDefinition)
    }

    @Test("fills in what the file leaves out")
    func fillsInDefaults() throws {
        let configuration = try load(
            """
            secrets: { sk: { file: /etc/sk } }
            providers: { web: { kind: ai-autocomplete, secret: sk } }
            tokens: { web: { provider: web, product_id: 0b9f6f0e-1d2c-4c59-9a6e-3f1f0f6f2a77, allow: [{ user: api }] } }
            """
        )
        #expect(configuration.listen.apps == "/run/tokenbroker/apps.sock")
        #expect(configuration.listen.admin == "/run/tokenbroker-admin/admin.sock")
        #expect(configuration.store == nil)
        #expect(configuration.adminGroup == nil)
        #expect(configuration.logLevel == .info)
        #expect(configuration.definition.limits == Limits())
        let provider = try #require(configuration.definition.providers["web"])
        #expect(provider.baseURL == "https://api.ai-autocomplete.com")
        #expect(provider.timeout == .seconds(10))
        let token = try #require(configuration.definition.tokens["web"])
        #expect(token.refresh == .ahead)
        #expect(token.defaultLifetime == nil)
        #expect(token.grants == [Grant(user: 1001)])
    }

    @Test("reads JSON, which is YAML")
    func readsJSON() throws {
        let configuration = try load(
            #"{"secrets":{"sk":{"file":"\/etc\/sk"}},"limits":{"end_users":12,"wait_max":"5s"},"log":{"level":"trace"}}"#
        )
        #expect(configuration.definition.secrets["sk"]?.source == .file(path: "/etc/sk"))
        #expect(configuration.definition.limits.endUsers == 12)
        #expect(configuration.definition.limits.waitMax == .seconds(5))
        #expect(configuration.logLevel == .trace)
    }

    @Test(
        "takes a file with nothing in it",
        arguments: ["", "# all commented out\n", "---\n{}\n", "\u{FEFF}log: {}\n"]
    )
    func takesEmptyFile(_ text: String) throws {
        #expect(try load(text) == Configuration())
    }

    @Test("reads a scalar by its key: words, numbers and dates are text where text is wanted")
    func readsScalarsByKey() throws {
        let configuration = try load(
            """
            secrets: { off: { file: /k }, 1111: { credential: 2026-01-01 } }
            providers: { no: { kind: chatty, secret: off, base_url: "https://h", bundle_id: 0x1F } }
            """
        )
        #expect(configuration.definition.secrets["1111"]?.source == .credential(name: "2026-01-01"))
        #expect(configuration.definition.providers["no"]?.secret == "off")
        #expect(configuration.definition.providers["no"]?.options["bundle_id"] == "0x1F")
    }

    @Test("warns of a token that nobody may fetch", arguments: ["", ", allow: []"])
    func warnsOfTokenForNobody(_ allow: String) throws {
        let configuration = try load(
            """
            secrets: { sk: { file: /etc/sk } }
            providers: { web: { kind: ai-autocomplete, secret: sk } }
            tokens:
              web: { provider: web, product_id: 0b9f6f0e-1d2c-4c59-9a6e-3f1f0f6f2a77\(allow) }
            """
        )
        let warnings = configuration.warnings.map { withoutFolders($0.description[...]) }
        #expect(warnings == ["main.yaml:4:3: tokens.web: nobody may fetch it: no allow"])
        #expect(configuration.definition.tokens["web"]?.grants == [])
    }

    @Test("lowers a default lifetime that nobody wrote down to the maximum")
    func lowersUnwrittenDefault() throws {
        let limits = try load("limits: { max_lifetime: 10s }").definition.limits
        #expect(limits.defaultLifetime == .seconds(10))
    }

    @Test("reports a file that is not there")
    func reportsMissingFile() {
        let error = #expect(throws: ConfigurationProblems.self) { try loader.load(path: "/nowhere/main.yaml") }
        #expect(error?.description == "/nowhere/main.yaml: cannot be read: No such file or directory")
    }

    private static let expectedDefinition = BrokerDefinition(
        secrets: [
            "sk": SecretDefinition(name: "sk", source: .file(path: "/etc/sk")),
            "other": SecretDefinition(name: "other", source: .credential(name: "other")),
        ],
        providers: [
            "web": ProviderDefinition(
                name: "web",
                kind: "ai-autocomplete",
                baseURL: "https://example.com:8443/v2",
                secret: "sk",
                timeout: .seconds(90)
            )
        ],
        tokens: [
            "off": TokenDefinition(
                name: "off",
                provider: "web",
                refresh: .onDemand,
                defaultLifetime: .seconds(3600),
                grants: [
                    Grant(user: 33, surfaces: [.tokens, .forwardAuth]),
                    Grant(user: 1001, group: 2001),
                ],
                options: Options(["product_id": "0b9f6f0e-1d2c-4c59-9a6e-3f1f0f6f2a77"])
            )
        ],
        limits: {
            var limits = Limits()
            limits.connectionsPerUID = 7
            limits.waitMax = .seconds(60)
            limits.maxLifetime = .seconds(7200)
            return limits
        }()
    )
}
