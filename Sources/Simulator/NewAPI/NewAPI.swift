internal import HTTPWire
internal import JSON

/// new-api with request signatures: `GET /v1/models` and `POST /v1/chat/completions` for a key `sk-…`, and
/// `/api/token/`, where keys are made and ended by machine.
///
/// Source: QuantumNous/new-api for the relay, NewAPIKit's document for the signature. What is not published and was chosen
/// here: the window of a timestamp, that a nonce is remembered for it, and what a signed request is refused with.
///
/// Of its own on the control API:
/// - `POST keys` with `{"add": "sk-…", "signed": true|false, "bundle_ids": [TEXT, …]}`, of which the last two may be left
///   out (signed, any bundle), or `{"revoke": "sk-…"}`.
final class NewAPI: SimulatedProvider {
    static let defaultWindowSeconds: Int64 = 300

    let name = "new-api"
    let requestIDField = "X-Oneapi-Request-Id"
    /// By their texts without `sk-`.
    var keys: [String: RelayKey] = [:]
    private var lastID: Int64 = 0
    /// How many signatures were right, and how many requests were refused for what, by its name.
    private var verdicts: [String: Int64] = [:]

    init() {
        addKey(RelayKey.text(in: SimulatorOptions.demoRelayKey), name: "demo")
    }

    /// Adds a key whose use has to be signed.
    @discardableResult
    func addKey(_ text: String, name: String) -> RelayKey {
        lastID += 1
        let key = RelayKey(text: text, id: lastID, name: name, isSignatureRequired: true, bundles: [])
        keys[text] = key
        return key
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        if let path = request.path.below("/api/token") { return manage(request, path) }
        do throws(NewAPIRefusal) {
            switch (request.path, request.http.method) {
            case ("/v1/models", .get):
                try authenticate(request)
                return ProviderAnswer(.other, .json(200, Self.models))
            case ("/v1/chat/completions", .post):
                try authenticate(request)
                return ProviderAnswer(.other, try Self.completion(request))
            default: throw .notFound
            }
        } catch {
            verdicts[error.name, default: 0] += 1
            let isCredentialRefused = error.status == 401 || error.status == 403
            return ProviderAnswer(isCredentialRefused ? .refused : .other, Self.response(error, request))
        }
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        switch status {
        case 401: Self.response(.invalidKey, request)
        case 403: Self.response(.noUserQuota, request)
        case 429: Self.response(.addressLimit, request)
        default: Self.response(.simulated(status), request)
        }
    }

    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)? {
        NewAPIRefusal.all.first { $0.name == name }.map { refusal in { Self.response(refusal, $0) } }
    }

    func requestID(for request: HTTPRequest) -> String {
        RandomText.hexadecimal(bytes: 12)
    }

    var report: JSONObject {
        var counts = JSONObject()
        for (name, count) in verdicts.sorted(by: { $0.key < $1.key }) { counts[name] = .number(JSONNumber(count)) }
        return ["verdicts": .object(counts)]
    }

    /// Accepts the request's key and, where the key wants it, its signature.
    private func authenticate(_ request: ProviderRequest) throws(NewAPIRefusal) {
        let credential =
            request.http.bearerCredential
            ?? (request.path == "/v1/models" ? request.http.headers.first("x-api-key") : nil)
        guard let credential, let key = keys[RelayKey.text(in: credential)],
            key.isUsable(nowMilliseconds: request.nowMilliseconds)
        else { throw .invalidKey }
        guard key.isSignatureRequired else { return }
        keys[key.text]?.nonces = try verify(request, key)
        verdicts["signed", default: 0] += 1
    }

    /// Verifies the signature.
    ///
    /// - Returns: The nonces to remember.
    private func verify(_ request: ProviderRequest, _ key: RelayKey) throws(NewAPIRefusal) -> [String: Int64] {
        let signature = try RequestSignature(request.http)
        guard key.bundles.isEmpty || key.bundles.contains(signature.bundle) else { throw .invalidBundle }
        let window = (request.behaviour.signatureWindowSeconds ?? Self.defaultWindowSeconds) * 1000
        guard let instant = signature.milliseconds(request.behaviour.timestampUnit ?? .seconds),
            abs(request.nowMilliseconds - instant) <= window
        else { throw .staleTimestamp }
        let keyText = request.behaviour.signingKeyText == .withoutPrefix ? key.text : "sk-" + key.text
        guard signature.nonce.isUUID, signature.matches(request.http.body, keyText: keyText) else {
            throw .invalidSignature
        }
        // Only what was signed is remembered: else anybody could use up the nonces of others.
        var nonces = key.nonces.filter { request.nowMilliseconds <= $0.value }
        guard nonces.updateValue(instant + window, forKey: signature.nonce) == nil else { throw .repeatedNonce }
        return nonces
    }

    private static func response(_ refusal: NewAPIRefusal, _ request: ProviderRequest) -> HTTPResponse {
        guard refusal.hasBody else { return HTTPResponse(status: refusal.status) }
        let error: JSONValue = [
            "message": .string("\(refusal.message) (request id: \(request.requestID))"),
            "type": "new_api_error",
            "param": "",
            "code": .string(refusal.code),
        ]
        return .json(refusal.status, ["error": error])
    }
}
