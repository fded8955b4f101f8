import JSON
import Synchronization
import TokenBroker
import Upstream

/// Palbase's refresh as seklabsnet/palauth does it: single use, 30 s of grace in which the successor is given another text,
/// and the end of the whole session for a token that comes later.
final class PalbaseModel: HTTPSender {
    fileprivate struct Session {
        /// The unspent token's text.
        var newest: String
        /// The spent tokens' texts, with the instant of their successor's birth; only the last one's successor is unspent.
        var spent: [(text: String, at: BootInstant)] = []
        var isRevoked = false

        func knows(_ token: String) -> Bool { token == newest || spent.contains { $0.text == token } }
    }

    fileprivate struct State {
        var sessions: [Session]
        var refusedKeys: Set<String> = []
        var count = 0
        /// Each access token's session, by its place, and end.
        var access: [String: (session: Int, end: BootInstant)] = [:]
        var requests: [UpstreamRequest] = []
        var presented: [String] = []
        var keys: [String: Set<String>] = [:]
        var served: Set<String> = []
        var isHarmed = false
    }

    private let clock: ManualClock
    private let lifetime: Int64
    private let state: Mutex<State>

    init(clock: ManualClock, lifetime: Int64, seed: String = PalbaseWorld.seed) {
        self.clock = clock
        self.lifetime = lifetime
        state = Mutex(State(sessions: [Session(newest: seed)]))
    }

    var requests: [UpstreamRequest] { state.withLock { $0.requests } }
    /// The refresh tokens that came, in order.
    var presented: [String] { state.withLock { $0.presented } }
    /// The idempotency keys that came with each refresh token.
    var keys: [String: Set<String>] { state.withLock { $0.keys } }
    /// Whether a session was ended.
    var isRevoked: Bool { state.withLock { $0.sessions.contains(where: \.isRevoked) } }
    /// Whether the session was ended by a request while an access token was alive that an app has.
    var isHarmed: Bool { state.withLock { $0.isHarmed } }

    /// An app has this access token.
    func noteServed(_ token: TokenText) {
        state.withLock { _ = $0.served.insert(token.revealed) }
    }

    /// Begins another session, as a person who signs in anew.
    ///
    /// - Parameter endsOthers: whether the provider knows nothing of the earlier ones any more.
    func signIn(_ seed: String, endsOthers: Bool = true) {
        state.withLock { state in
            if endsOthers { state.sessions = [] }
            state.sessions.append(Session(newest: seed))
        }
    }

    /// Takes the key no more.
    func refuse(key: String) {
        state.withLock { _ = $0.refusedKeys.insert(key) }
    }

    /// Ends the session whose token it is.
    func revoke(_ token: String) {
        state.withLock { state in
            for index in state.sessions.indices where state.sessions[index].knows(token) {
                state.sessions[index].isRevoked = true
            }
        }
    }

    /// Whether an access token is taken now.
    func takes(_ token: TokenText) -> Bool {
        let now = clock.now().boot
        return state.withLock { state in
            guard let (session, end) = state.access[token.revealed], state.sessions.indices.contains(session) else {
                return false
            }
            return end > now && !state.sessions[session].isRevoked
        }
    }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        let now = clock.now()
        let (status, body) = state.withLock { state in
            state.requests.append(request)
            return state.answer(request, lifetime: lifetime, at: now.boot)
        }
        return UpstreamResponse(status: status, body: body.serialized(), requestedAt: now, receivedAt: now.wall)
    }
}

extension PalbaseModel.State {
    fileprivate mutating func answer(
        _ request: UpstreamRequest,
        lifetime: Int64,
        at now: BootInstant
    ) -> (Int, JSONValue) {
        guard let key = request.secret("apikey") else { return refusal(401, "missing_api_key") }
        guard !refusedKeys.contains(where: { Secret($0.utf8) == key }) else { return refusal(401, "invalid_api_key") }
        guard let token = (try? JSONValue(parsing: request.body))?["refresh_token"]?.string else {
            return refusal(400, "invalid_request")
        }
        presented.append(token)
        if let key = request.text("Idempotency-Key") { keys[token, default: []].insert(key) }
        guard let place = sessions.firstIndex(where: { $0.knows(token) }) else { return refusal(401, "invalid_token") }
        guard !sessions[place].isRevoked else { return refusal(401, "session_revoked") }
        if token == sessions[place].newest {
            sessions[place].spent.append((token, now))
        } else if let last = sessions[place].spent.last, last.text != token || now.since(last.at) > .seconds(30) {
            isHarmed =
                isHarmed
                || access.contains { served.contains($0.key) && $0.value.session == place && $0.value.end > now }
            sessions[place].isRevoked = true
            return refusal(401, "token_reuse")
        }
        count += 1
        sessions[place].newest = "rt-\(count)"
        access["at-\(count)"] = (place, now.advanced(by: .seconds(lifetime)))
        return (200, success(lifetime: lifetime))
    }

    private func success(lifetime: Int64) -> JSONValue {
        [
            "access_token": .string("at-\(count)"), "refresh_token": .string("rt-\(count)"), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(lifetime)),
        ]
    }

    private func refusal(_ status: Int, _ code: String) -> (Int, JSONValue) {
        let envelope: JSONValue = [
            "error": .string(code), "error_description": .string(canary), "status": .number(JSONNumber(Int64(status))),
        ]
        return (status, envelope)
    }
}

extension UpstreamRequest {
    /// A header's value, where it is text.
    func text(_ name: String) -> String? {
        for header in headers where header.name == name {
            if case .text(let text) = header.value { return text }
        }
        return nil
    }

    /// A header's value, where it is a secret that stands alone.
    func secret(_ name: String) -> Secret? {
        for header in headers where header.name == name {
            if case .secret(let secret) = header.value { return secret }
        }
        return nil
    }
}
