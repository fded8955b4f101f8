internal import HTTPWire
internal import JSON

/// Roadie: `POST /v1/client-tokens` mints a client token for one end user with a secret key; `GET /v1/models`,
/// `POST /v1/chat` and `POST /openai/v1/chat/completions` take either.
///
/// Source: paroaria/roadie-python. What is not published and was chosen here: the lifetime and the scopes where none
/// are asked for, the statuses and codes that ``RoadieErrorType`` names as such, that a publishable key is refused
/// with 403, that blocking and quotas go by end user, that limits are by credential, path and minute, and that
/// revoking a key leaves its tokens alive.
///
/// ``control(_:_:)`` lists what it has of its own on the control API.
final class Roadie: SimulatedProvider {
    /// Whom a client token stands for.
    struct Subject: Equatable {
        let endUser: String
        let plan: String?
        let scopes: [String]
    }

    /// The keys that work from the start.
    static let exampleKeys = ["rd_sk_test_demo", "rd_sk_test_demo2", "rd_pk_test_demo"]

    let name = "roadie"
    let lifetimeSeconds: Int64
    var keys = Set(exampleKeys)
    var tokens = MintedTokens<Subject>()
    /// Of every end user, as they were with the first mint.
    var attributes: [String: JSONObject] = [:]
    var blockedUsers: Set<String> = []
    var exhaustedUsers: Set<String> = []
    var requestsPerMinute: Int64 = 600
    private var windows = FixedWindows()

    init(lifetimeSeconds: Int64) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        switch (request.http.method, request.path) {
        case (.post, "/v1/client-tokens"): limited(request, mint)
        case (.get, "/v1/models"): limited(request, models)
        case (.post, "/v1/chat"), (.post, "/openai/v1/chat/completions"): limited(request, chat)
        default: RoadieRefusal(.notFound).answer(to: request)
        }
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        RoadieRefusal(RoadieErrorType(status: status)).response(to: request, status: status)
    }

    func failure(named name: String) -> ((ProviderRequest) -> HTTPResponse)? {
        RoadieErrorType(rawValue: name).map { type in { RoadieRefusal(type).response(to: $0) } }
    }

    /// Answers within the limit, and says how much of it is left.
    private func limited(
        _ request: ProviderRequest,
        _ handle: (ProviderRequest) throws(RoadieRefusal) -> ProviderAnswer
    ) -> ProviderAnswer {
        let usage = windows.admit(
            "\(request.path) \(request.http.bearerCredential ?? "")",
            limit: requestsPerMinute,
            nowMilliseconds: request.nowMilliseconds
        )
        let answer: ProviderAnswer
        do throws(RoadieRefusal) {
            guard usage.isAdmitted else {
                throw RoadieRefusal(.rateLimit, retryAfterSeconds: usage.retryAfterSeconds)
            }
            answer = try handle(request)
        } catch {
            answer = error.answer(to: request)
        }
        var response = answer.response
        response.headers.append(.number("X-RateLimit-Limit", requestsPerMinute))
        response.headers.append(.number("X-RateLimit-Remaining", usage.remaining))
        response.headers.append(.number("X-RateLimit-Reset", usage.resetsAtMilliseconds / 1000))
        return ProviderAnswer(answer.outcome, response)
    }
}
