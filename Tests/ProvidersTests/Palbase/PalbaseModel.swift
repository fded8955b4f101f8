import JSON
import Synchronization
import TokenBroker
import Upstream

/// Palbase's refresh as seklabsnet/palauth does it: single use, 30 s of grace in which the successor is given another text,
/// and the end of the whole session for a token that comes later.
final class PalbaseModel: HTTPSender {
    fileprivate struct State {
        /// The unspent token's text.
        var newest: String
        /// The spent tokens' texts, with the instant of their successor's birth; only the last one's successor is unspent.
        var spent: [(text: String, at: BootInstant)] = []
        var isRevoked = false
        var count = 0
        var access: [String: BootInstant] = [:]
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
        state = Mutex(State(newest: seed))
    }

    var requests: [UpstreamRequest] { state.withLock { $0.requests } }
    /// The refresh tokens that came, in order.
    var presented: [String] { state.withLock { $0.presented } }
    /// The idempotency keys that came with each refresh token.
    var keys: [String: Set<String>] { state.withLock { $0.keys } }
    var isRevoked: Bool { state.withLock { $0.isRevoked } }
    /// Whether the session was ended by a request while an access token was alive that an app has.
    var isHarmed: Bool { state.withLock { $0.isHarmed } }

    /// An app has this access token.
    func noteServed(_ token: TokenText) {
        state.withLock { _ = $0.served.insert(token.revealed) }
    }

    /// Begins another session, as a person who signs in anew.
    func signIn(_ seed: String) {
        state.withLock { state in
            state.newest = seed
            state.spent = []
            state.isRevoked = false
        }
    }

    /// Whether an access token is taken now.
    func takes(_ token: TokenText) -> Bool {
        let now = clock.now().boot
        return state.withLock { state in !state.isRevoked && state.access[token.revealed].map { $0 > now } == true }
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
        guard request.headers.contains(where: { $0.name == "apikey" }) else { return refusal(401, "missing_api_key") }
        guard let token = (try? JSONValue(parsing: request.body))?["refresh_token"]?.string else {
            return refusal(400, "invalid_request")
        }
        presented.append(token)
        if let key = request.text("Idempotency-Key") { keys[token, default: []].insert(key) }
        guard !isRevoked else { return refusal(401, "session_revoked") }
        if token == newest {
            spent.append((token, now))
        } else if let index = spent.firstIndex(where: { $0.text == token }) {
            guard index == spent.count - 1, now.since(spent[index].at) <= .seconds(30) else {
                isHarmed = isHarmed || access.contains { served.contains($0.key) && $0.value > now }
                isRevoked = true
                return refusal(401, "token_reuse")
            }
        } else {
            return refusal(401, "invalid_token")
        }
        count += 1
        newest = "rt-\(count)"
        access["at-\(count)"] = now.advanced(by: .seconds(lifetime))
        let answer: JSONValue = [
            "access_token": .string("at-\(count)"), "refresh_token": .string(newest), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(lifetime)),
        ]
        return (200, answer)
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
