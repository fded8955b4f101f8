internal import HTTPWire
internal import TokenBroker

/// `/v1/device-policy`: what operators read and set. Used on the loop's thread only.
struct DevicePolicySurface {
    /// A write waits for the disk.
    private static let patience: Duration = .seconds(30)

    private typealias Change = @Sendable (_ revision: Int64) async throws(DevicePolicyRefusal) -> DevicePolicyInForce

    let policies: DevicePolicies
    let verdicts: DeviceVerdictCounters
    let audit: any AuditLog

    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome {
        switch request.method {
        case .put: set(request, peer, completion)
        case .delete: reset(request, peer, completion)
        default: .respond(document(policies.inForce))
        }
    }

    private func document(_ policy: DevicePolicyInForce) -> HTTPResponse {
        DevicePolicyDocument(policy: policy, verdicts: verdicts).response
    }

    private func set(_ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        do throws(InvalidRequest) {
            let wish = try DevicePolicy(requestBody: request.body)
            let deed = Deed("policy set", wish.summary, by: peer, in: audit)
            return change(deed, request, completion) { [policies] (revision) throws(DevicePolicyRefusal) in
                try await policies.set(wish, at: revision)
            }
        } catch {
            return .respond(Problem(error).response)
        }
    }

    private func reset(_ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        let deed = Deed("policy reset", "to the file's", by: peer, in: audit)
        return change(deed, request, completion) { [policies] (revision) throws(DevicePolicyRefusal) in
            try await policies.reset(at: revision)
        }
    }

    private func change(
        _ deed: Deed,
        _ request: HTTPRequest,
        _ completion: Completion,
        _ change: @escaping Change
    ) -> Outcome {
        guard let condition = RevisionCondition(request.headers) else {
            return .respond(Problem.preconditionRequired.response)
        }
        let revision = policies.inForce.revision
        guard condition.holds(of: revision) else {
            deed.record(.failure(.changedMeanwhile))
            return .respond(Problem(.changedMeanwhile).response)
        }
        Task {
            let result = await Result { () async throws(DevicePolicyRefusal) in try await change(revision) }
            // Here and not where it is answered: who has hung up by then has changed it all the same.
            deed.record(result)
            completion(.devicePolicy(result))
        }
        return .wait(
            Waiting(
                patience: Self.patience,
                onResolution: {
                    guard case .devicePolicy(let result) = $0 else { preconditionFailure("not a policy's resolution") }
                    switch result {
                    case .success(let policy): return .respond(document(policy))
                    case .failure(let refusal): return .respond(Problem(refusal).response)
                    }
                },
                onDeadline: Waiting.late("the store is still at it; read the policy again"),
                onAbandoned: {}
            )
        )
    }
}

/// What an operator does to the policy, as it is written down.
private struct Deed: Sendable {
    let action: String
    let summary: String
    let actor: AuditEvent.Actor
    let audit: any AuditLog

    init(_ action: String, _ summary: String, by peer: Peer, in audit: any AuditLog) {
        self.action = action
        self.summary = summary
        self.audit = audit
        actor = AuditEvent.Actor(operator: peer)
    }

    func record(_ result: Result<DevicePolicyInForce, DevicePolicyRefusal>) {
        let (outcome, detail) =
            switch result {
            case .success(let policy): ("ok", "\(summary); revision \(policy.revision)")
            case .failure(let refusal): (Problem(refusal).code.rawValue, summary)
            }
        audit.record(AuditEvent(.operation, action, outcome: outcome, detail: detail, by: actor))
    }
}

extension Result {
    /// `Result(catching:)`, for work that waits.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

extension DevicePolicy {
    /// A change in a line, for the record of who did what.
    fileprivate var summary: String {
        let modes = modes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.rawValue)" }
        let apps = apps.map { apps in
            "apps: " + (apps.isEmpty ? "none" : apps.map(\.summary).joined(separator: ", "))
        }
        return (modes + [apps].compactMap(\.self)).joined(separator: "; ")
    }
}

extension DeviceApp {
    fileprivate var summary: String {
        "\(appID) (\(environments.map(\.rawValue).sorted().joined(separator: ", ")))"
    }
}
