import JSON
import TokenBroker
import Upstream

@testable import Providers

/// What an answer of the example service means.
struct ExampleAnswer {
    static let quotaCodes: Set<String> = ["plan_exhausted"]

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    func mint() throws(MintFailure) -> Mint {
        let document = try answer.success(refusal: Self.refusal)
        let text = try answer.token("token", in: document)
        return answer.mint(text, try answer.expiry(secondsFromNow: "ttl", in: document))
    }

    /// - Returns: nil where the status alone tells.
    private static func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch answer.errorCode {
        case "bad_key":
            answer.failure(.secretRejected, "the provider refused the key; put a valid ex_sk_ key in its place")
        case "unknown_project":
            answer.failure(.requestRejected, "the provider knows no such project; check project")
        case let code? where quotaCodes.contains(code):
            answer.failure(.quotaExhausted, "the plan's allowance is spent")
        default: nil
        }
    }
}
