import TokenBroker
import Upstream

@testable import Providers

/// An application at the gateway, for tests.
enum Gateway {
    static let key = "agw_canary8f3a0123456789abcdefghijklmnopqrstuvwxyzABCDEF"
    static let issuerToken = "eyJcanary.issuer.token"
    static let keyCheck = "tokenbroker-key-check"

    static func provider(
        _ user: String,
        _ options: [String: String] = [:],
        sender: any HTTPSender,
        clock: any HostClock = StandingClock()
    ) -> AppAIGatewayProvider {
        let definition = ProviderDefinition(
            name: "gateway",
            kind: "app-ai-gateway",
            baseURL: "https://api.appaigateway.com",
            secret: "key",
            timeout: .seconds(10),
            options: Options(["app_id": "example-app-a1b2c3", "user": user].merging(options) { $1 })
        )
        return AppAIGatewayProvider(definition, ProviderPorts(sender: sender, clock: clock, store: nil))
    }

    static func request(
        isForced: Bool = false,
        issuerToken: String? = nil,
        key: String = key
    ) -> MintRequest {
        let issuerToken = issuerToken.flatMap { TokenText($0) }.map { IssuerToken($0, statedEnd: nil) }
        return MintRequest(
            token: TokenDefinition(name: "chat", provider: "gateway"),
            details: issuerToken.map { SubjectDetails(issuerToken: $0) },
            secret: Secret(key.utf8),
            isForced: isForced
        )
    }

    static func error(_ code: String) -> String {
        #"{"error":{"code":"\#(code)","message":"key \#(key), token \#(issuerToken)"}}"#
    }
}
