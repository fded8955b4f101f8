internal import HTTPWire
internal import TokenBroker

/// Asks a request to a route for the device behind it, before anything is looked up for it.
struct RouteGate {
    let desk: CredentialDesk
    let gate: DeviceGate
    let verdicts: DeviceVerdictCounters

    /// What a request goes on with.
    typealias Serve = (DeviceID?) -> Outcome

    /// Serves a request that the gate lets through.
    func pass(
        _ request: HTTPRequest,
        to route: RouteDefinition,
        isRejection: Bool,
        from peer: Peer,
        _ completion: Completion,
        serve: @escaping Serve
    ) -> Outcome {
        // Without a device there is no user: whatever the policy says, the gate is closed to such a request.
        let mode = route.userSource == .device ? .enforce : gate.mode(of: route.name)
        guard mode != .off else { return serve(nil) }
        let actor = AuditEvent.Actor(peer)
        let proof: DeviceProof
        do throws(DeviceRejection) {
            guard let found = try DeviceProof(request, to: route, isRejection: isRejection) else {
                gate.refuse(.proofMissing, on: route.name, by: actor)
                return refuse(.proofMissing, .missing, route.name, mode, serve)
            }
            proof = found
        } catch {
            gate.refuse(error, on: route.name, by: actor)
            return refuse(error, .failed, route.name, mode, serve)
        }
        guard gate.check(proof, on: route.name, by: actor, { completion(.device($0)) }) else {
            return .respond(Problem.tooManyRequests(after: .seconds(1)).response(for: .apps))
        }
        return .wait(
            .forDevice { answer in
                switch answer {
                case .success(let id):
                    verdicts.count(.verified, at: route.name)
                    return tell(.verified, in: mode, serve(id))
                case .failure(let rejection): return refuse(rejection, .failed, route.name, mode, serve)
                }
            }
        )
    }

    private func refuse(
        _ rejection: DeviceRejection,
        _ verdict: DeviceVerdict,
        _ route: Name,
        _ mode: DeviceMode,
        _ serve: Serve
    ) -> Outcome {
        verdicts.count(verdict, at: route)
        guard mode == .enforce else { return tell(verdict, in: mode, serve(nil)) }
        let problem = verdict == .missing ? Problem.deviceRequired(rejection) : .deviceFailed(rejection)
        return .respond(problem.response(for: .apps))
    }

    private func tell(_ verdict: DeviceVerdict, in mode: DeviceMode, _ outcome: Outcome) -> Outcome {
        mode == .monitor ? outcome.adding(.deviceVerdict(verdict)) : outcome
    }
}

extension Waiting {
    /// How long a request waits to be verified, where many others are before it.
    private static var verificationPatience: Duration { .seconds(10) }

    /// Waits for what the gate finds.
    static func forDevice(_ onAnswer: @escaping (DeviceGate.Answer) -> Outcome) -> Waiting {
        Waiting(
            patience: verificationPatience,
            onResolution: {
                guard case .device(let answer) = $0 else { preconditionFailure("not a device's resolution") }
                return onAnswer(answer)
            },
            onDeadline: { Problem.verificationLate.response(for: .apps) },
            onDrain: { Problem.shuttingDown.response(for: .apps) },
            onAbandoned: {}
        )
    }
}

extension Outcome {
    /// The same with another field in the answer, whenever that comes.
    fileprivate func adding(_ field: HeaderField) -> Outcome {
        switch self {
        case .reply(let reply): return .reply(reply.adding(field))
        case .wait(let waiting):
            return .wait(
                Waiting(
                    patience: waiting.patience,
                    onResolution: { waiting.onResolution($0).adding(field) },
                    onDeadline: { waiting.onDeadline().adding(field) },
                    onDrain: { waiting.onDrain().adding(field) },
                    onAbandoned: waiting.onAbandoned
                )
            )
        }
    }
}

extension Reply {
    fileprivate func adding(_ field: HeaderField) -> Reply {
        switch self {
        case .response(let response): .response(response.adding(field))
        case .ready(let answer): .response(answer.response.adding(field))
        }
    }
}

extension HTTPResponse {
    fileprivate func adding(_ field: HeaderField) -> HTTPResponse {
        var response = self
        response.headers.append(field)
        return response
    }
}
