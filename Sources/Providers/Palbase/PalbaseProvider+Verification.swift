internal import TokenBroker

// Each secret is proven by itself: what the provider says of the key tells nothing of the session, and the other way round.

extension PalbaseProvider {
    func verify(_ request: MintRequest) async throws(MintFailure) -> Mint? {
        if request.verifiedOption == Self.session { return try await verifySeed(request) }
        try requireForm(of: request.secret)
        do throws(MintFailure) {
            guard isSession else { return try await mint(request) }
            // Without a refresh token, so that the session is not at risk.
            try await endpoint.prove(request.secret)
            return nil
        } catch {
            throw error.asVerdict(keyCodes: RefreshAnswer.keyCodes)
        }
    }

    /// A key of the other kind would be taken by the provider, and be of no use here. It is sent nowhere.
    private func requireForm(of key: Secret) throws(MintFailure) {
        switch (isSession, ProjectKey(key)?.scope) {
        case (true, .publishable), (false, .service), (false, nil): return
        case (true, _): throw MintFailure(.secretRejected, detail: ProjectKey.publishableWanted)
        case (false, _): throw MintFailure(.secretRejected, detail: ProjectKey.serviceWanted)
        }
    }

    private func verifySeed(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let chain = try chain(for: request)
        guard let seed = try? request.secretsByOption[Self.session]?.get(), seed.refreshToken != nil else {
            throw MintFailure(.secretRejected, detail: "the secret that session names is no refresh token")
        }
        do throws(MintFailure) {
            return try await chain.verify(seed: seed, key: request.secret)
        } catch  where error.failureClass == .secretRejected {
            throw error.sayingNothing(
                "the provider refused the project's API key, so that nothing is known of the session; put a valid one in place"
            )
        }
    }
}
