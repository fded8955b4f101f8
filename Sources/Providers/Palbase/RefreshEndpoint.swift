internal import JSON
internal import TokenBroker
internal import Upstream

/// `POST /auth/token/refresh`, in its two uses. It never carries a bearer token: the provider's own clients leave it out on
/// this path.
struct RefreshEndpoint: Sendable {
    let sender: any HTTPSender

    /// Sends a refresh token once.
    func refresh(_ token: TokenText, key: Secret, idempotencyKey: IdempotencyKey) async -> RefreshOutcome {
        let body: JSONValue = ["refresh_token": .string(token.revealed)]
        let request = request(
            key: key,
            headers: [.init("Idempotency-Key", idempotencyKey.text)],
            body: body,
            isReplayable: false
        )
        do throws(UpstreamFailure) {
            let response = try await sender.send(request)
            let secrets = [key, Secret(token.revealed.utf8)]
            return RefreshAnswer(ProviderAnswer(response, envelope: .flat, secrets: secrets)).outcome
        } catch {
            guard error.requestMayHaveBeenSent else { return .unspent(MintFailure(error)) }
            return error.code == .connectionLost ? .unanswered(MintFailure(error)) : .unknown(MintFailure(error))
        }
    }

    /// Proves a project's key by a refresh that lacks its token: it changes nothing, and is refused for the key before it
    /// is refused for what it lacks. No call is documented that would do nothing but this.
    func prove(_ key: Secret) async throws(MintFailure) {
        let response: UpstreamResponse
        do throws(UpstreamFailure) {
            response = try await sender.send(request(key: key, headers: [], body: [:], isReplayable: true))
        } catch {
            throw MintFailure(error)
        }
        try RefreshAnswer(ProviderAnswer(response, envelope: .flat, secrets: [key])).proveKey()
    }

    private func request(
        key: Secret,
        headers: [UpstreamRequest.Header],
        body: JSONValue,
        isReplayable: Bool
    ) -> UpstreamRequest {
        UpstreamRequest(
            .post,
            path: "/auth/token/refresh",
            headers: [
                .init(PalbaseProvider.keyHeader, .secret(key)),
                .init("Content-Type", "application/json"),
                .init("Accept", "application/json"),
            ] + headers,
            body: body.serialized(),
            isReplayable: isReplayable
        )
    }
}
