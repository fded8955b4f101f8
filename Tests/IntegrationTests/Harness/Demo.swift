/// The keys that work from the simulator's start.
enum Demo {
    static let gatewayIssuerKey = "agw_exampleissuera1b2c3key10000000000000000000000000"
    static let gatewayHeaderKey = "agw_exampleheadera1b2c3key10000000000000000000000000"
    static let roadieKey = "rd_sk_test_demo"
    static let relayKey = "sk-Demo0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"
    static let publishableKey = "pb_demo_c0123456789abcdef"
    static let refreshToken = "demo-refresh-token"
    static let clientSecret = "demo-client-secret"

    /// The app that simulated devices have keys of.
    static let deviceApp = "TEAMID1234.com.example.app"
}
