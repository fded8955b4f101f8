internal import TokenBroker
internal import Upstream

// What a status means where the kind of provider has no meaning of its own for the answer.

extension ProviderAnswer {
    /// As HTTP means the status, and as harmless as it can be: a refusal is believed only in the provider's own envelope,
    /// because a proxy's page must not stop the minting.
    var plainRefusal: MintFailure {
        let status = response.status
        switch status {
        case 429:
            return failure(.rateLimited, "the provider asks for a pause")
        case 300..<400:
            return failure(
                .requestRejected,
                "the provider answered with a redirect (HTTP \(status)), which is not followed; check its address"
            )
        case 500..<600:
            return unavailable
        case 408, 425:
            return failure(.transient, "the provider wants the request again (HTTP \(status))")
        case 400..<500 where hasErrorEnvelope:
            return believed
        default:
            return unreadable("HTTP \(status) without the provider's own error, perhaps from a proxy on the way")
        }
    }

    /// The provider's own trouble.
    var unavailable: MintFailure {
        failure(
            response.status == 429 ? .rateLimited : .transient,
            "the provider has a problem (HTTP \(response.status))"
        )
    }

    private var believed: MintFailure {
        switch response.status {
        case 401, 403:
            failure(.secretRejected, "the provider refused the long-lived key; put a valid one in its place")
        case 402:
            failure(.quotaExhausted, "the account's allowance at the provider is spent")
        default:
            failure(
                .requestRejected,
                "the provider calls the request wrong (HTTP \(response.status)); check the options and the address"
            )
        }
    }
}
