import Synchronization
import Testing
import TokenBroker
import Upstream

@Suite("App AI Gateway: a refusal of a user or of the key")
struct AppAIGatewayKeyCheckTests {
    /// Refuses every exchange as it refuses a blocked user, and answers a check of the key as it is told.
    private func sender(_ check: (status: Int, body: String)?) -> ScriptedSender {
        ScriptedSender { request in
            request.bodyText.contains(Gateway.keyCheck) ? check : (403, Gateway.error("auth_required"))
        }
    }

    private func failure(_ provider: any Provider, key: String = Gateway.key) async -> MintFailure? {
        do throws(MintFailure) {
            _ = try await provider.mint(Gateway.request(issuerToken: Gateway.issuerToken, key: key))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "is the user's where the key is good, the key's where it is not, and one user's trouble where nobody knows",
        arguments: [
            (403, Gateway.error("issuer_token_rejected"), .userRefused),
            (403, Gateway.error("auth_required"), .secretRejected),
            (401, Gateway.error("auth_required"), .secretRejected),
            (429, Gateway.error("rate_limited"), .transient),
            (503, Gateway.error("issuer_verification_unavailable"), .transient),
            (403, Gateway.error("app_disabled"), .transient),
            (403, Fault.page, .transient),
            (401, "", .transient),
            (200, #"{"access_token":"a"}"#, .transient),
            (500, "", .transient),
        ] as [(Int, String, FailureClass)]
    )
    func verdicts(status: Int, body: String, expected: FailureClass) async {
        let sender = sender((status, body))
        let failure = await failure(Gateway.provider("issuer-token", sender: sender))
        #expect(failure?.failureClass == expected)
        #expect(failure?.providerCode == "auth_required")
        #expect(failure?.providerStatus == 403)
        #expect(sender.requests.count == 2)
    }

    @Test("is one user's trouble where the check gets no answer")
    func noAnswer() async {
        #expect(await failure(Gateway.provider("issuer-token", sender: sender(nil)))?.failureClass == .transient)
    }

    @Test("checks the key with no more than its own, and an issuer token that is none")
    func checkRequest() async throws {
        let sender = sender((403, Gateway.error("issuer_token_rejected")))
        _ = await failure(Gateway.provider("issuer-token", sender: sender))
        let request = try #require(sender.requests.last)
        #expect(request.path == "/v1/apps/example-app-a1b2c3/auth/token")
        #expect(request.bodyText == #"{"api_key":"\#(Gateway.key)","issuer_token":"\#(Gateway.keyCheck)"}"#)
    }

    @Test("costs three checks at most for a hundred users at once, whoever of them gives up")
    func herd() async {
        let refused = Atomic(0)
        let checks = Atomic(0)
        let allRefused = AsyncStream<Void>.makeStream()
        let sender = ScriptedSender { request in
            if request.bodyText.contains(Gateway.keyCheck) {
                if checks.add(1, ordering: .relaxed).newValue == 1 { for await _ in allRefused.stream { break } }
                return (403, Gateway.error("issuer_token_rejected"))
            }
            if refused.add(1, ordering: .relaxed).newValue == 100 { allRefused.continuation.finish() }
            return (403, Gateway.error("auth_required"))
        }
        let provider = Gateway.provider("issuer-token", sender: sender)
        let impatient = Task { await failure(provider) }
        let classes = await withTaskGroup(of: FailureClass?.self) { group in
            for _ in 0..<99 { group.addTask { await failure(provider)?.failureClass } }
            impatient.cancel()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(classes == Array(repeating: .userRefused, count: 99))
        #expect(await impatient.value?.failureClass == .userRefused)
        #expect(checks.load(ordering: .relaxed) == 3)
    }

    @Test("is looked into anew for each user, so that a key that is revoked meanwhile is found out")
    func afresh() async {
        let verdicts = ["issuer_token_rejected", "auth_required", "issuer_token_rejected"]
        let checks = Atomic(0)
        let sender = ScriptedSender { request in
            guard request.bodyText.contains(Gateway.keyCheck) else { return (403, Gateway.error("auth_required")) }
            return (403, Gateway.error(verdicts[checks.add(1, ordering: .relaxed).oldValue]))
        }
        let provider = Gateway.provider("issuer-token", sender: sender)
        #expect(await failure(provider)?.failureClass == .userRefused)
        #expect(await failure(provider)?.failureClass == .secretRejected)
        #expect(await failure(provider)?.failureClass == .userRefused)
    }

    @Test("is not taken for what an earlier check could not find out")
    func unknownIsForgotten() async {
        let checks = Atomic(0)
        let sender = ScriptedSender { request in
            guard request.bodyText.contains(Gateway.keyCheck) else { return (403, Gateway.error("auth_required")) }
            return checks.add(1, ordering: .relaxed).oldValue == 0 ? (500, "") : (403, Gateway.error("auth_required"))
        }
        let provider = Gateway.provider("issuer-token", sender: sender)
        #expect(await failure(provider)?.failureClass == .transient)
        #expect(await failure(provider)?.failureClass == .secretRejected)
    }

    @Test("costs five checks a minute at most; the last one answers for whoever comes between")
    func allowance() async {
        let sender = sender((403, Gateway.error("issuer_token_rejected")))
        let clock = ManualClock()
        let provider = Gateway.provider("issuer-token", sender: sender, clock: clock)
        var checks: Int { sender.requests.count { $0.bodyText.contains(Gateway.keyCheck) } }
        for _ in 0..<59 {
            #expect(await failure(provider)?.failureClass == .userRefused)
            clock.advance(by: .seconds(1))
        }
        #expect(checks == 5)
        clock.advance(by: .seconds(1))
        _ = await failure(provider)
        #expect(checks == 6)
        // Nothing is known of another key, and nothing may be asked.
        #expect(await failure(provider, key: "agw_another")?.failureClass == .transient)
        #expect(checks == 6)
        clock.advance(by: .seconds(20))
        #expect(await failure(provider, key: "agw_another")?.failureClass == .userRefused)
        #expect(checks == 7)
    }

    @Test("is not looked into for what does not speak of both")
    func otherRefusals() async {
        for (status, body) in [(403, Gateway.error("issuer_token_rejected")), (403, Fault.page), (401, "")] {
            let sender = FakeSender(status, body)
            _ = await failure(Gateway.provider("issuer-token", sender: sender))
            #expect(sender.requests.count == 1)
        }
    }
}
