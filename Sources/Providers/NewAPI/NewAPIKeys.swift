internal import JSON
internal import TokenBroker
internal import Upstream

/// The token management of a new-api installation, by the system access token of one of its users.
///
/// Source: QuantumNous/new-api, router/api-router.go and controller/token.go.
struct NewAPIKeys: KeyIssuer {
    let api: NewAPIManagement

    /// The answer to the request does not hold the key. It is found by its name, and revealed; also where the answer got
    /// lost.
    func issue(
        _ label: String,
        like model: Secret?,
        by credential: Secret
    ) async throws(KeyIssueFailure) -> NewKey {
        let body: JSONValue
        do throws(MintFailure) {
            body = NewAPIKey.order(label, like: try await api.keys(credential).first { $0.isMasked(model) })
        } catch {
            throw .refused(error)
        }
        var doubt: MintFailure?
        do throws(KeyIssueFailure) {
            try await api.create(body, credential)
        } catch {
            guard case .unknown(let failure) = error else { throw error }
            doubt = failure
        }
        do throws(MintFailure) {
            guard let id = try await ids(of: label, by: credential).first else {
                throw doubt ?? MintFailure(.transient, detail: "new-api does not list the key that it has made")
            }
            return NewKey(id: id, value: try await api.reveal(id, credential))
        } catch {
            throw .unknown(doubt ?? error)
        }
    }

    func ids(of label: String, by credential: Secret) async throws(MintFailure) -> [String] {
        try await api.keys(credential).filter { $0.name == label }.map(\.id)
    }

    /// What is not there any more is answered as a failure like any other: the list tells.
    func revoke(_ id: String, by credential: Secret) async throws(MintFailure) {
        do throws(MintFailure) {
            try await api.delete(id, credential)
        } catch {
            guard error.failureClass == .requestRejected else { throw error }
            if try await api.keys(credential).contains(where: { $0.id == id }) { throw error }
        }
    }
}
