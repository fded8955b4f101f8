internal import JSON
internal import TokenBroker
internal import Upstream

/// The gateway's admin API for the keys of one application, by a management key `agw_mgmt_…`.
///
/// Any number of keys work at once, as far as the plan lets them; a revoked one never works again.
struct AppAIGatewayKeys: KeyIssuer {
    let account: AppAIGatewayAccount
    let sender: any HTTPSender

    /// The key is in the answer, this once. The receipts by which some gateways answer a repeated request again are not
    /// asked for: a gateway that does not know them would make a second key.
    func issue(
        _ label: String,
        like model: Secret?,
        by credential: Secret
    ) async throws(KeyIssueFailure) -> NewKey {
        let body: JSONValue = ["name": .string(label)]
        let request = self.request(.post, "", credential, body: body.serialized(), isReplayable: false)
        let answer: ProviderAnswer
        do throws(UpstreamFailure) {
            answer = ProviderAnswer(try await sender.send(request), secrets: [credential])
        } catch {
            throw KeyIssueFailure(error)
        }
        do throws(MintFailure) {
            let document = try answer.success(refusal: Self.refusal)
            let id = try answer.keyID(document["id"]?.string)
            return NewKey(id: id, value: Secret(try answer.token("key", in: document).revealed.utf8))
        } catch {
            throw KeyIssueFailure(error)
        }
    }

    func ids(of label: String, by credential: Secret) async throws(MintFailure) -> [String] {
        let answer = try await send(request(.get, "", credential, isReplayable: true), credential)
        let document = try answer.success(refusal: Self.refusal)
        guard let keys = document["keys"]?.array else { throw answer.unreadable("keys is missing or not a list") }
        var ids: [String] = []
        for key in keys where key["name"]?.string == label && key["status"]?.string != "revoked" {
            ids.append(try answer.keyID(key["id"]?.string))
        }
        return ids
    }

    /// May be repeated: a key that is revoked already is answered like one that was not.
    func revoke(_ id: String, by credential: Secret) async throws(MintFailure) {
        let answer = try await send(request(.post, "/\(id)/revoke", credential, isReplayable: true), credential)
        // Older gateways call an unknown key an invalid request.
        let isGone = ["not_found", "invalid_request"].contains(answer.errorCode)
        if answer.response.status == 404, isGone { return }
        _ = try answer.success(refusal: Self.refusal)
    }

    // MARK: The wire

    private func request(
        _ method: UpstreamRequest.Method,
        _ rest: String,
        _ credential: Secret,
        body: [UInt8] = [],
        isReplayable: Bool
    ) -> UpstreamRequest {
        var headers: [UpstreamRequest.Header] = [
            .init("Authorization", .bearer(credential)), .init("Accept", "application/json"),
        ]
        if !body.isEmpty { headers.append(.init("Content-Type", "application/json")) }
        return UpstreamRequest(
            method,
            path: "/v1/admin/apps/\(account.appID)/keys\(rest)",
            headers: headers,
            body: body,
            isReplayable: isReplayable
        )
    }

    private func send(
        _ request: UpstreamRequest,
        _ credential: Secret
    ) async throws(MintFailure) -> ProviderAnswer {
        do throws(UpstreamFailure) {
            return ProviderAnswer(try await sender.send(request), secrets: [credential])
        } catch {
            throw MintFailure(error)
        }
    }

    private static func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch (answer.response.status, answer.errorCode) {
        case (_, "billing_plan_limit_reached"):
            answer.failure(
                .quotaExhausted,
                "the plan at the gateway lets the application have no more keys that work at once\(usage(answer)); revoke "
                    + "one there that nothing uses any more, or have the plan raised"
            )
        case (_, "app_not_found"):
            answer.failure(.requestRejected, "the gateway knows no such application; check app_id and base_url")
        case (_, "grant_insufficient"):
            answer.failure(.requestRejected, "the gateway's management key may not manage keys; it needs that grant")
        case (401, _), (403, "auth_required"):
            answer.failure(
                .secretRejected,
                "the gateway refused the management key; put a valid one into the secret that management names"
            )
        case (400, _):
            answer.failure(
                .requestRejected,
                "the gateway makes no key for this application; is it one with API keys?"
            )
        default: nil
        }
    }

    /// How many keys there are and may be, where the gateway says so.
    private static func usage(_ answer: ProviderAnswer) -> String {
        let data = answer.document?["error"]?["data"]
        guard let used = data?["used"]?.number?.int64, let limit = data?["limit"]?.number?.int64 else { return "" }
        return " (\(used) of \(limit))"
    }
}
