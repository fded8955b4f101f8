internal import Digests
internal import HTTPWire
internal import JSON
internal import TokenBroker

/// `/routes/ROUTE/attest/challenge` and `/routes/ROUTE/attest/register`: how a device comes to be known. Used on the
/// loop's thread only.
final class AttestSurface {
    private let desk: CredentialDesk
    private let gate: DeviceGate
    private var limits = AttestLimits()

    init(desk: CredentialDesk, gate: DeviceGate) {
        self.desk = desk
        self.gate = gate
    }

    func challenge(_ name: Name?, _ request: HTTPRequest, _ peer: Peer) -> Outcome {
        let route: RouteDefinition
        switch admit(name, peer) {
        case .failure(let refusal): return .respond(refusal.problem.response(for: .apps))
        case .success(let admitted): route = admitted
        }
        let client = ClientAddress(request, from: peer, by: desk.definition.devices.clientAddress)
        if let wait = limits.challenge(client, at: desk.clock.now().boot) {
            return .respond(Problem.tooManyRequests(after: wait).response(for: .apps))
        }
        return .respond(
            HTTPResponse(json: [
                "challenge": .string(Base64.urlSafeText(gate.challenge(for: route.name))),
                "expires_in": .number(JSONNumber(DeviceGate.challengeLifetime.wholeSeconds)),
            ])
        )
    }

    func register(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        let route: RouteDefinition
        switch admit(name, peer) {
        case .failure(let refusal): return .respond(refusal.problem.response(for: .apps))
        case .success(let admitted): route = admitted
        }
        let client = ClientAddress(request, from: peer, by: desk.definition.devices.clientAddress)
        if let wait = limits.registration(client, at: desk.clock.now().boot) {
            return .respond(Problem.tooManyRequests(after: wait).response(for: .apps))
        }
        let registration: DeviceRegistration
        do throws(InvalidRequest) {
            registration = try DeviceRegistration(JSONObject(requestBody: request.body))
        } catch {
            return .respond(Problem(error).response(for: .apps))
        }
        let actor = AuditEvent.Actor(peer)
        let isBegun = gate.register(registration, on: route.name, by: actor) { completion(.device($0)) }
        guard isBegun else { return .respond(Problem.tooManyRequests(after: .seconds(1)).response(for: .apps)) }
        return .wait(
            .forDevice(
                onDeadline: { _ in .respond(Problem.verificationLate.response(for: .apps)) },
                onAnswer: { answer in
                    switch answer {
                    case .success(let id): .respond(HTTPResponse(json: ["device_id": .string(id.text)]))
                    case .failure(let rejection): .respond(Problem.deviceFailed(rejection).response(for: .apps))
                    }
                }
            )
        )
    }

    private struct Refusal: Error {
        let problem: Problem
    }

    /// The route, where it has a gate and the peer may use it.
    private func admit(_ name: Name?, _ peer: Peer) -> Result<RouteDefinition, Refusal> {
        let route = name.flatMap { desk.definition.routes[$0] }
        let door = Door(surface: .routes, grants: route?.grants)
        guard desk.token(route?.token, for: peer, at: door) != nil, let route else {
            return .failure(Refusal(problem: .unknownToken))
        }
        return gate.mode(of: route.name) == .off ? .failure(Refusal(problem: .notFound)) : .success(route)
    }
}

extension DeviceRegistration {
    fileprivate init(_ body: JSONObject) throws(InvalidRequest) {
        func text(_ name: String) throws(InvalidRequest) -> String {
            guard let text = body[name]?.string else { throw InvalidRequest("\(name) is a text in base64") }
            return text
        }
        for member in body.members where !["key_id", "attestation", "challenge"].contains(member.name) {
            throw .unknownParameter("key_id, attestation and challenge")
        }
        // What is no base64 is refused as what it stands for, when the challenge is spent: as empty bytes, which are none.
        self.init(
            challenge: Base64.urlSafeBytes(try text("challenge")) ?? [],
            keyID: Base64.lenientBytes(try text("key_id")) ?? [],
            attestation: Base64.lenientBytes(try text("attestation")) ?? []
        )
    }
}
