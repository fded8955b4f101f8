internal import HTTPWire
internal import TokenBroker

/// `/v1/audit` and `/v1/audit/verify`: what was written down, for operators.
struct AuditSurface {
    /// A look through all rows takes seconds on a slow disk.
    private static let patience: Duration = .seconds(60)

    /// Nil where there is no store.
    let trail: (any AuditTrail)?

    func rows(_ request: HTTPRequest, _ completion: Completion) -> Outcome {
        read(request, completion, AuditQuery.init(rows:)) { query, trail throws(StoreError) in
            let rows = try await trail.rows(after: query.after, since: query.since, limit: query.limit)
            return HTTPResponse(json: AuditDocument.json(of: rows, after: query.after))
        }
    }

    func verification(_ request: HTTPRequest, _ completion: Completion) -> Outcome {
        read(request, completion, AuditQuery.init(heads:)) { query, trail throws(StoreError) in
            HTTPResponse(json: AuditDocument.json(of: try await trail.verify(against: query.heads)))
        }
    }

    /// Reads the query, and has the answer made off the loop.
    private func read(
        _ request: HTTPRequest,
        _ completion: Completion,
        _ query: (HTTPRequest) throws(InvalidRequest) -> AuditQuery,
        _ answer: @escaping @Sendable (AuditQuery, any AuditTrail) async throws(StoreError) -> HTTPResponse
    ) -> Outcome {
        guard let trail else { return .respond(Self.noStore) }
        let asked: AuditQuery
        do throws(InvalidRequest) {
            asked = try query(request)
        } catch {
            return .respond(Problem(error).response)
        }
        Task {
            do throws(StoreError) {
                completion(.answer(try await answer(asked, trail)))
            } catch {
                completion(.answer(Problem(.internal, "the audit log cannot be read: \(error)").response))
            }
        }
        return .wait(
            Waiting(
                patience: Self.patience,
                onResolution: {
                    guard case .answer(let response) = $0 else { preconditionFailure("not an answer's resolution") }
                    return .respond(response)
                },
                onDeadline: Waiting.late("the store has not answered yet; ask again"),
                onAbandoned: {}
            )
        )
    }

    private static let noStore =
        Problem(.notFound, "no `store:` is configured, so that the audit log is in the journal alone").response
}
