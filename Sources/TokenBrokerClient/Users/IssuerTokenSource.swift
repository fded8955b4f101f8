/// Where the token comes from by which a user's identity provider vouches for the user.
///
/// The broker passes it on to a provider that wants one and keeps it no longer than it must.
public struct IssuerTokenSource: Sendable {
    /// Brings the user's present token.
    ///
    /// It is asked on every call that may need the token, so it should answer from memory; with `forceRefresh` it must
    /// get a new one, because the one before was refused.
    public typealias Token = @Sendable (_ forceRefresh: Bool) async throws -> String

    /// Waits for, or brings about, what the provider misses in the user's token: an entitlement that was just bought
    /// and is in no token yet.
    public typealias Recovery = @Sendable () async throws -> Void

    private let recovery: Recovery?
    private let source: Token

    /// - Parameters:
    ///   - recovery: runs when the provider says `issuer_claims_missing`. Without one that is an error like others.
    ///   - token: brings the user's token.
    public init(onMissingClaims recovery: Recovery? = nil, token: @escaping Token) {
        self.recovery = recovery
        source = token
    }

    /// The token as the app has it.
    func present() async throws -> String {
        try await source(false)
    }

    /// Does `work` with a token and, where that is what the provider refused, once more with a new one.
    ///
    /// - Parameter token: what ``present()`` brought.
    func retrying<Value>(from token: String, _ work: (String) async throws -> Value) async throws -> Value {
        do {
            return try await work(token)
        } catch let error as TokenBrokerError where error.code == .providerRefusedUser {
            switch error.providerCode {
            case "issuer_token_rejected":
                break
            case "issuer_claims_missing":
                guard let recovery else { throw error }
                try await recovery()
            default:
                throw error
            }
        }
        return try await work(try await source(true))
    }
}
