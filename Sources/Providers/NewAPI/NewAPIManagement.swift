internal import JSON
internal import TokenBroker
internal import Upstream

/// The requests below `/api/token`.
///
/// Its envelope is `success`, `message` and `data`; what new-api refuses by its rules it answers with 200 and `success`
/// false, and a sentence in the installation's language, which is not passed on.
struct NewAPIManagement {
    enum Option {
        static let user = "management_user"
    }

    /// The first account of an installation, which administers it.
    static let firstUser = "1"
    /// More than an account has, so that a list that never ends does.
    private static let mostPages = 100

    let sender: any HTTPSender
    /// The id of the user whose token it is.
    let user: String

    /// All keys of the user, each once.
    ///
    /// Versions differ in how they count pages and what they call a page's size, so that the first may come twice.
    func keys(_ credential: Secret) async throws(MintFailure) -> [NewAPIKey] {
        var keys: [NewAPIKey] = []
        var known: Set<String> = []
        for page in 0..<Self.mostPages {
            let path = "?p=\(page)&size=100&page_size=100"
            let answer = try await send(.get, path, credential, isReplayable: true)
            let data = try data(of: answer)
            guard let items = data?["items"]?.array ?? data?.array else {
                throw answer.unreadable("data is missing or not a list")
            }
            let new = items.compactMap(NewAPIKey.init).filter { known.insert($0.id).inserted }
            keys += new
            if let total = data?["total"]?.number?.int64, Int64(known.count) >= total { break }
            if page > 1, new.isEmpty { break }
        }
        return keys
    }

    func create(_ order: JSONValue, _ credential: Secret) async throws(KeyIssueFailure) {
        let request = request(.post, "", credential, body: order.serialized(), isReplayable: false)
        let answer: ProviderAnswer
        do throws(UpstreamFailure) {
            answer = self.answer(try await sender.send(request), credential)
        } catch {
            throw KeyIssueFailure(error)
        }
        do throws(MintFailure) {
            _ = try data(of: answer)
        } catch {
            guard error.failureClass == .requestRejected else { throw KeyIssueFailure(error) }
            throw .refused(error)
        }
    }

    /// The key's text, as it goes into a request.
    func reveal(_ id: String, _ credential: Secret) async throws(MintFailure) -> Secret {
        let answer = try await send(.post, "\(id)/key", credential, isReplayable: true)
        guard let text = try data(of: answer)?["key"]?.string else { throw answer.unreadable("key is missing") }
        let prefix = NewAPISigner.keyPrefix
        guard let key = TokenText(text.hasPrefix(prefix) ? text : prefix + text) else {
            throw answer.unreadable("key is not one")
        }
        return Secret(key.revealed.utf8)
    }

    func delete(_ id: String, _ credential: Secret) async throws(MintFailure) {
        _ = try data(of: try await send(.delete, id, credential, isReplayable: true))
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
            .init("Authorization", .bearer(credential)), .init("New-Api-User", user),
            .init("Accept", "application/json"),
        ]
        if !body.isEmpty { headers.append(.init("Content-Type", "application/json")) }
        return UpstreamRequest(
            method,
            path: "/api/token/\(rest)",
            headers: headers,
            body: body,
            isReplayable: isReplayable
        )
    }

    private func send(
        _ method: UpstreamRequest.Method,
        _ rest: String,
        _ credential: Secret,
        isReplayable: Bool
    ) async throws(MintFailure) -> ProviderAnswer {
        do throws(UpstreamFailure) {
            let request = request(method, rest, credential, isReplayable: isReplayable)
            return answer(try await sender.send(request), credential)
        } catch {
            throw MintFailure(error)
        }
    }

    private func answer(_ response: UpstreamResponse, _ credential: Secret) -> ProviderAnswer {
        ProviderAnswer(response, secrets: [credential], requestIDHeader: NewAPIProvider.requestIDHeader)
    }

    /// - Throws: `requestRejected` for what new-api says it has not done.
    private func data(of answer: ProviderAnswer) throws(MintFailure) -> JSONValue? {
        switch (answer.response.status, answer.document?["success"]?.bool) {
        case (200..<300, true?): return answer.document?["data"]
        case (200..<300, false?):
            throw answer.failure(
                .requestRejected,
                "new-api refused it; check the token that management names, management_user, and how many keys that user "
                    + "may have"
            )
        case (401, false?):
            throw answer.failure(
                .secretRejected,
                "new-api refused the system access token that management names; is it valid, and management_user's own?"
            )
        case (403, false?):
            throw answer.failure(.requestRejected, "new-api does not let management_user manage keys")
        case (200..<300, nil): throw answer.unreadable("success is missing")
        default: throw answer.plainRefusal
        }
    }
}
