internal import HTTPWire
internal import JSON

/// The provider's side of one wire. On the loop's thread only.
///
/// It answers as the real service does; ``ProviderHost`` adds the faults that are the same for every provider.
protocol SimulatedProvider: AnyObject {
    /// What its paths begin with, and what the control API calls it: `ai-autocomplete`.
    var name: String { get }

    /// Answers a request as the service would.
    func answer(_ request: ProviderRequest) -> ProviderAnswer

    /// The answer with which the service would say this status; the request is not handled.
    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse

    /// How the service would say the error that has this name there; nil where it has none such.
    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)?

    /// The field of an answer that names the request it is for.
    var requestIDField: String { get }

    /// The name of a request: text that can be sent in a header field.
    func requestID(for request: HTTPRequest) -> String

    /// What the provider has to add to the counts that every provider has.
    var report: JSONObject { get }

    /// Does what the control API asks of this provider alone; nil where it knows no such action.
    ///
    /// - Parameters:
    ///   - action: The path below the provider's: `keys`.
    ///   - members: The body's; empty where there was none.
    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue?
}

extension SimulatedProvider {
    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)? {
        nil
    }

    var requestIDField: String { "X-Request-Id" }

    func requestID(for request: HTTPRequest) -> String {
        "req_" + RandomText.hexadecimal(bytes: 12)
    }

    var report: JSONObject { JSONObject() }
}

/// A request as a provider sees it.
struct ProviderRequest {
    let http: HTTPRequest
    /// Below the provider's prefix: `/api/auth/token`.
    let path: String
    /// What the answer's head, and where the service does so its body, call the request.
    let requestID: String
    let behaviour: Behaviour
    /// The provider's own clock, which may be wrong.
    let nowMilliseconds: Int64
}

/// What came of a request.
struct ProviderAnswer {
    enum Outcome {
        case minted
        /// The credential was not accepted.
        case refused
        case other
    }

    let outcome: Outcome
    let response: HTTPResponse

    init(_ outcome: Outcome, _ response: HTTPResponse) {
        self.outcome = outcome
        self.response = response
    }
}
