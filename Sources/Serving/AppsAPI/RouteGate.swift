internal import HTTPWire
internal import TokenBroker

/// Asks a request to a route for the device behind it, before anything is looked up for it.
struct RouteGate {
    let gate: DeviceGate
    let verdicts: DeviceVerdictCounters

    /// What a request goes on with, and the completion for what comes of that later.
    typealias Serve = (DeviceID?, Completion) -> Outcome

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
        guard mode != .off else { return serve(nil, completion) }
        let visit = Visit(door: self, route: route.name, mode: mode, actor: AuditEvent.Actor(peer), serve: serve)
        do throws(DeviceRejection) {
            guard let proof = try DeviceProof(request, to: route, isRejection: isRejection) else {
                visit.note(.proofMissing)
                return visit.refuse(.missing, with: .deviceRequired(.proofMissing), completion)
            }
            return visit.check(proof, completion)
        } catch {
            visit.note(error)
            return visit.refuse(.failed, with: .deviceFailed(error), completion)
        }
    }
}

/// A request at a gate that looks at it.
private struct Visit {
    let door: RouteGate
    let route: Name
    let mode: DeviceMode
    let actor: AuditEvent.Actor
    let serve: RouteGate.Serve

    func check(_ proof: DeviceProof, _ completion: Completion) -> Outcome {
        let isBegun = door.gate.check(proof, on: route, in: mode, by: actor) { completion(.device($0)) }
        guard isBegun else {
            note(.verificationBusy)
            return refuse(.failed, with: .tooManyRequests(after: .seconds(1)), completion)
        }
        return .wait(
            .forDevice(
                patience: mode == .monitor ? .monitoringPatience : .verificationPatience,
                onDeadline: { completion in
                    note(.verificationLate)
                    return refuse(.failed, with: .verificationLate, completion)
                },
                onAnswer: { answer in
                    switch answer {
                    case .success(let device): pass(.verified, device, completion)
                    // The gate has noted it.
                    case .failure(let rejection): refuse(.failed, with: .deviceFailed(rejection), completion)
                    }
                }
            )
        )
    }

    func note(_ rejection: DeviceRejection) {
        door.gate.refuse(rejection, on: route, in: mode, by: actor)
    }

    /// - Parameter problem: what is answered where the gate enforces; where it monitors the request is served.
    func refuse(_ verdict: DeviceVerdict, with problem: Problem, _ completion: Completion) -> Outcome {
        guard mode == .enforce else { return pass(verdict, nil, completion) }
        door.verdicts.count(verdict, at: route)
        return .respond(problem.response(for: .apps))
    }

    private func pass(_ verdict: DeviceVerdict, _ device: DeviceID?, _ completion: Completion) -> Outcome {
        door.verdicts.count(verdict, at: route)
        let outcome = serve(device, completion)
        return mode == .monitor ? outcome.adding(.deviceVerdict(verdict)) : outcome
    }
}

extension Duration {
    /// How long a request waits to be verified, where many others are before it.
    static var verificationPatience: Duration { .seconds(10) }

    /// The same where it is served whatever comes of it: its app is not to wait for what is only to be counted.
    fileprivate static var monitoringPatience: Duration { .seconds(1) }
}

extension Waiting {
    /// Waits for what the gate finds.
    static func forDevice(
        patience: Duration = .verificationPatience,
        onDeadline: @escaping (Completion) -> Outcome,
        onAnswer: @escaping (DeviceGate.Answer) -> Outcome
    ) -> Waiting {
        Waiting(
            patience: patience,
            onResolution: {
                guard case .device(let answer) = $0 else { preconditionFailure("not a device's resolution") }
                return onAnswer(answer)
            },
            onDeadline: onDeadline,
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
                    onDeadline: { waiting.onDeadline($0).adding(field) },
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
