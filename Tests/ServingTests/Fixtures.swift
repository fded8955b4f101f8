import Glibc
import HTTPWire
import Synchronization
import Testing

@testable import Serving
@testable import TokenBroker

extension BrokerDefinition {
    /// Tokens of one account.
    static func account(
        _ tokens: [TokenDefinition],
        source: SecretDefinition.Source = .file(path: "/nowhere"),
        drain: Duration? = nil,
        management: Name? = nil,
        routes: [RouteDefinition] = [],
        devices: DeviceSettings = DeviceSettings(),
        decoration: RequestDecoration = RequestDecoration(),
        limits: Limits = Limits()
    ) -> BrokerDefinition {
        BrokerDefinition(
            secrets: [
                "key": SecretDefinition(name: "key", source: source, drain: drain),
                "management": SecretDefinition(name: "management", source: .file(path: "/nowhere")),
            ].filter { management != nil || $0.key == "key" },
            providers: [
                "account": ProviderDefinition(
                    name: "account",
                    kind: "fake",
                    baseURL: "https://provider.example",
                    secret: "key",
                    timeout: .seconds(10),
                    management: management,
                    decoration: decoration
                )
            ],
            tokens: Dictionary(uniqueKeysWithValues: tokens.map { ($0.name, $0) }),
            routes: Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0) }),
            devices: devices,
            limits: limits
        )
    }
}

extension TokenDefinition {
    /// A token that the user who runs the tests may fetch.
    static func open(_ name: Name, _ refresh: RefreshMode = .onDemand) -> TokenDefinition {
        TokenDefinition(name: name, provider: "account", refresh: refresh, grants: [Grant(user: geteuid())])
    }

    /// A token of this form that the user who runs the tests may fetch.
    static func open(
        _ name: Name,
        _ credential: CredentialForm,
        reveals: Bool = false,
        endUserHeader: String? = nil,
        surfaces: Set<Surface> = Set(Surface.allCases)
    ) -> TokenDefinition {
        TokenDefinition(
            name: name,
            provider: "account",
            refresh: .onDemand,
            credential: credential,
            revealsSecret: reveals,
            endUserHeader: endUserHeader,
            quotaCodes: ["insufficient_quota"],
            grants: [Grant(user: geteuid(), surfaces: surfaces)]
        )
    }

    /// A token that is another user's.
    static func closed(_ name: Name) -> TokenDefinition {
        TokenDefinition(name: name, provider: "account", refresh: .onDemand, grants: [Grant(user: geteuid() + 1)])
    }
}

extension Broker.Supply {
    init(
        _ definition: BrokerDefinition,
        with provider: FakeProvider,
        secrets: SecretsInForce = FixedSecret.inForce
    ) {
        self.init(definition, providers: ["account": provider], secrets: secrets)
    }
}

extension ServedToken {
    /// A token that lives for an hour from the clock's start.
    static func example(_ text: TokenText, generation: Int64) -> ServedToken {
        let mint = Mint(text: text, expiry: .after(.seconds(3600)), requestedAt: ManualClock.start)
        let lifetime = Lifetime(
            of: mint,
            default: .seconds(300),
            maximum: .seconds(86400),
            arrivedAt: ManualClock.start
        )
        guard let lifetime else { preconditionFailure("dead on arrival") }
        // One with a state: the thread sanitizer takes the address of one without for an access to nowhere.
        var random = SeededRandom(seed: 1)
        return ServedToken(
            text: text,
            generation: Generation(generation),
            issuedAt: ManualClock.start,
            lifetime: lifetime,
            using: &random
        )
    }
}

extension DaemonFacts {
    static let example = DaemonFacts(
        version: "1.2.3",
        processID: 4711,
        startedAt: WallInstant(milliseconds: 1_774_000_000_500),
        configurationPath: "/etc/tokenbroker/tokenbroker.yaml"
    )
}

struct NoObserver: EventObserver {
    func observe(_ event: BrokerEvent) {}
}

/// A reload that ends when a test says so.
final class ScriptedReload: Sendable {
    private let completions = Mutex<[@Sendable ([String]) -> Void]>([])

    func begin(_ completion: @escaping @Sendable ([String]) -> Void) {
        completions.withLock { $0.append(completion) }
    }

    /// How many are under way.
    var count: Int { completions.withLock { $0.count } }

    /// Ends the one that began first.
    func end(_ problems: [String]) {
        completions.withLock { $0.removeFirst() }(problems)
    }
}

/// A directory of its own, short enough for socket paths, removed at the end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/serving.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    deinit {
        for name in ["apps", "admin", "apps.lock", "admin.lock"] { unlink(file(name)) }
        rmdir(path)
    }
}

/// A request as the wire's reader makes it.
func parsed(_ text: String) throws -> HTTPRequest {
    var parser = RequestParser()
    var position = 0
    let event = Array(text.utf8).withUnsafeBytes { parser.next($0, &position) }
    guard case .request(let request) = event else { throw NotARequest(text: text) }
    return request
}

struct NotARequest: Error {
    let text: String
}

/// Counts the events it is told.
final class RecordingObserver: EventObserver {
    private let observed = Mutex(0)

    var count: Int { observed.withLock { $0 } }

    func observe(_ event: BrokerEvent) {
        observed.withLock { $0 += 1 }
    }
}
