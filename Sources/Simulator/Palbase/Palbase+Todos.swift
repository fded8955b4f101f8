internal import HTTPWire
internal import JSON

extension Palbase {
    /// `GET` or `POST /v1/todos`: proves that a credential works, and says whose it is.
    ///
    /// The publishable key needs a user's access token beside it; the service key acts for the project.
    func todos(_ request: ProviderRequest) throws(PalbaseRefusal) -> ProviderAnswer {
        let key = try projectKey(request)
        if request.http.headers.count(of: "Authorization") == 0, key.isService {
            return todos(subject: "service_role", session: nil)
        }
        guard let token = request.http.bearerCredential else { throw .unauthorized }
        guard let session = accessTokens.live(token, nowMilliseconds: request.nowMilliseconds),
            session.project == key.ref
        else { throw .invalidToken }
        return todos(subject: session.subject, session: session.id)
    }

    private func todos(subject: String, session: String?) -> ProviderAnswer {
        let body: JSONValue = [
            "subject": .string(subject), "session_id": session.map(JSONValue.string) ?? .null, "todos": [],
        ]
        return ProviderAnswer(.other, .json(200, body))
    }
}
