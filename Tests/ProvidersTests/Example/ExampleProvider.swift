import JSON
import TokenBroker
import Upstream

@testable import Providers

/// An example service: `POST /v1/tokens` with the secret key mints a token for one project.
///
/// Minting again gives one more token and takes nothing away, so that a request may be sent twice.
struct ExampleProvider: Provider {
    static let kind = ProviderKind(
        name: "example",
        address: .publicService("https://api.example.com"),
        tokenOptions: [OptionDeclaration(project, .text, isRequired: true)],
        secretPrefix: "ex_sk_",
        wrongSecretPrefixes: ["ex_pk_"],
        quotaCodes: ExampleAnswer.quotaCodes
    )

    private static let project = "project"

    let sender: any HTTPSender

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        guard let project = request.token.options[Self.project] else {
            throw MintFailure(.requestRejected, detail: "token \(request.token.name) has no \(Self.project)")
        }
        let body: JSONValue = ["project": .string(project)]
        let upstream = UpstreamRequest(
            .post,
            path: "/v1/tokens",
            headers: [
                .init("Authorization", .bearer(request.secret)),
                .init("Content-Type", "application/json"),
            ],
            body: body.serialized(),
            isReplayable: true
        )
        let answer: ProviderAnswer
        do throws(UpstreamFailure) {
            answer = ProviderAnswer(try await sender.send(upstream), secrets: [request.secret])
        } catch {
            throw MintFailure(error)
        }
        return try ExampleAnswer(answer).mint()
    }
}
