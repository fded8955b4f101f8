internal import Synchronization

/// A token of the broker in the form in which SDKs ask for one.
///
/// An SDK calls ``authorizationToken()`` before a request, and ``invalidateToken()`` when the provider has answered 401.
public final class AuthorizationTokenSource: Sendable {
    private struct State {
        var last: Token?
        var refused: Token?
    }

    private let client: TokenBrokerClient
    private let name: String
    private let endUser: EndUser?
    private let issuerToken: IssuerTokenSource?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - client: the program's own.
    ///   - name: the token's.
    ///   - endUser: as in ``TokenBrokerClient/token(named:minimumTimeToLive:endUser:issuerToken:)``.
    ///   - issuerToken: likewise.
    public init(
        _ client: TokenBrokerClient,
        named name: String,
        endUser: EndUser? = nil,
        issuerToken: IssuerTokenSource? = nil
    ) {
        self.client = client
        self.name = name
        self.endUser = endUser
        self.issuerToken = issuerToken
    }

    /// The text of a token that is valid now, and is not one that was invalidated.
    ///
    /// - Throws: ``TokenBrokerError``, what the issuer token source threw, or `CancellationError`.
    public func authorizationToken() async throws -> String {
        let refused = state.withLock { $0.refused }
        let token =
            if let refused {
                try await replacement(for: refused)
            } else {
                try await client.token(named: name, endUser: endUser, issuerToken: issuerToken)
            }
        state.withLock {
            $0.last = token
            if $0.refused?.generation == refused?.generation { $0.refused = nil }
        }
        return token.accessToken
    }

    /// Says that the provider refused the token that was handed out last: the next call brings another.
    public func invalidateToken() async {
        state.withLock { $0.refused = $0.last }
    }

    private func replacement(for refused: Token) async throws -> Token {
        do {
            return try await client.rejected(refused)
        } catch let error as TokenBrokerError where error.code == .tokenNotStale {
            // The broker has tried it and it works: what was refused is something else.
            return refused
        }
    }
}
