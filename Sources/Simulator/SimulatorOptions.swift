/// What a simulator is started with.
public struct SimulatorOptions: Sendable, Equatable {
    /// The key that works where no other was given.
    public static let demoSecretKey = "sk_v1_test_demo"

    /// Palbase's project `demo` and its session, from the start.
    public static let demoPublishableKey = "pb_demo_c0123456789abcdef"
    public static let demoServiceKey = "pb_demo_s0123456789abcdef"
    public static let demoRefreshToken = "demo-refresh-token"

    /// new-api's key from the start, whose use has to be signed.
    public static let demoRelayKey = "sk-Demo0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"
    /// What new-api's management API is used with, beside the user's id.
    public static let demoSystemToken = "demo-system-access-token"
    public static let demoUserID = "1"

    /// The OAuth 2.0 server's client from the start, which may ask for any scope.
    public static let demoClientID = "broker"
    public static let demoClientSecret = "demo-client-secret"

    /// The app that devices have a key of where no other is named.
    public static let demoAppID = "TEAMID1234.com.example.app"

    /// Ports on 127.0.0.1; 0 lets the kernel choose.
    public var httpPort: UInt16 = 0
    public var httpsPort: UInt16 = 0

    /// AI Autocomplete's secret keys, which begin with `sk_v1_`, and public ones, which begin with `pk_v1_`.
    public var keys: [String] = [demoSecretKey]

    /// The products (UUIDs) that exist; where none is named, every UUID is one.
    public var products: [String] = []

    /// How long a token lives. The real service's number is not published.
    public var lifetimeSeconds: Int64 = 3600

    public init() {}
}
