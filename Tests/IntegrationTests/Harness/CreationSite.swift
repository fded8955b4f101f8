import Glibc
import HTTPWire
import JSON

/// A broker whose key is made by its provider, with `tokenbroker` to have that done.
final class CreationSite: SecretSite {
    enum Account: CaseIterable {
        case gateway
        case relay

        var provider: String {
            switch self {
            case .gateway: "app-ai-gateway"
            case .relay: "new-api"
            }
        }

        fileprivate var firstKey: String {
            switch self {
            case .gateway: Demo.gatewayHeaderKey
            case .relay: Demo.relayKey
            }
        }

        fileprivate var managementKey: String {
            switch self {
            case .gateway: "agw_mgmt_example"
            case .relay: "demo-system-access-token"
            }
        }

        fileprivate var options: String {
            switch self {
            case .gateway: "app_id: example-header-a1b2c3, user: header, verify_as: u-1"
            case .relay: "bundle_id: com.example.app, device_id: device-1"
            }
        }

        /// Where its keys are listed and made.
        var keys: String {
            switch self {
            case .gateway: "/v1/admin/apps/example-header-a1b2c3/keys"
            case .relay: "/api/token/"
            }
        }
    }

    static let secret = "gateway-key"

    let account: Account
    let scratch: Scratch
    let simulator: SimulatorProcess
    private let settings: Settings
    private(set) var broker: BrokerProcess

    /// - Parameter drain: for how long a replaced key is kept: it is the credential itself.
    init(_ account: Account, drain: String = "2s") throws {
        self.account = account
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        let management = try scratch.write("management", account.managementKey + "\n")
        var settings = Settings(scratch)
        settings.addStore()
        let address = simulator.address(of: account.provider)
        settings.addAccount(
            secret: "\(Self.secret): { managed: true, drain: \(drain) }",
            provider: "gateway: { kind: \(account.provider), base_url: \(address), secret: \(Self.secret), "
                + "management: admin, \(account.options) }",
            token: "app: { provider: gateway, reveal_secret: true, allow: [{ user: \(geteuid()) }] }"
        )
        settings.addAccount(
            secret: "admin: { file: \(management) }",
            provider: "spare: { kind: oauth2, token_url: \(address), client_id: x, secret: spare }",
            token: "none: { provider: spare, refresh: on-demand }"
        )
        settings.addManagedSecret("spare")
        self.settings = settings
        broker = try BrokerProcess(scratch, settings.text)
        _ = try run("stage \(Self.secret)", input: account.firstKey)
        try Deadline.until("the first key") { try self.states() == ["active"] }
    }

    /// Kills the broker, and starts it again on what it left.
    func restart() throws {
        broker.process.send(SIGKILL)
        _ = try broker.process.waitForEnd()
        broker = try BrokerProcess(scratch, settings.text)
    }

    // MARK: The command line

    func create(_ options: String = "") throws -> EndedCommand {
        try run("rotate \(Self.secret) --create \(options)")
    }

    // MARK: What the broker says

    func versions() throws -> [JSONValue] {
        let secrets = try broker.admin(.get, "/v1/secrets").json["secrets"]?.array ?? []
        return secrets.first { $0["name"]?.string == Self.secret }?["versions"]?.array ?? []
    }

    func states() throws -> [String] {
        try versions().compactMap { $0["state"]?.string }
    }

    // MARK: What the provider says

    /// The names of the keys that still work there, the newest first.
    func keys() throws -> [String] {
        let answer = try simulator.ask(account.provider, .get, account.keys, headers: authorization)
        let list = answer.json["keys"]?.array ?? answer.json["data"]?["items"]?.array?.reversed() ?? []
        return list.filter { $0["status"]?.string != "revoked" }.compactMap { $0["name"]?.string }
    }

    /// Makes a key there, without the broker.
    func makeKey(named name: String) throws {
        let body: JSONValue = ["name": .string(name)]
        let answer = try simulator.ask(
            account.provider,
            .post,
            account.keys,
            headers: authorization,
            body: body.serialized()
        )
        guard (200..<300).contains(answer.status) else { throw HarnessError("no key: \(answer.json)") }
    }

    private var authorization: [(String, String)] {
        [
            ("Authorization", "Bearer \(account.managementKey)"), ("New-Api-User", "1"),
            ("Content-Type", "application/json"),
        ]
    }
}
