internal import TokenBroker

extension MintFailure {
    /// This failure, of a mint that put a key to the test.
    ///
    /// To a mint it makes no difference what is forbidden. A key on trial would be thrown away for it, and it can be the
    /// host's address or the account that is not let in: so a key counts as refused only where the provider's code says so.
    ///
    /// - Parameter keyCodes: the provider's codes that speak of the key.
    func asVerdict(keyCodes: Set<String> = []) -> MintFailure {
        guard failureClass == .secretRejected, providerStatus == 403, !keyCodes.contains(providerCode ?? "") else {
            return self
        }
        return sayingNothing("the provider forbids what the key is tested with, which says nothing of the key itself")
    }

    /// This failure, of a test that it says nothing about.
    func sayingNothing(_ detail: String) -> MintFailure {
        MintFailure(
            .requestRejected,
            detail: detail,
            providerStatus: providerStatus,
            providerCode: providerCode,
            providerRequestID: providerRequestID,
            askedPause: askedPause
        )
    }
}
