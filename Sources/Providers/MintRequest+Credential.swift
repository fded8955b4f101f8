internal import TokenBroker

extension MintRequest {
    /// The long-lived key as the credential itself.
    func secretAsCredential() throws(MintFailure) -> TokenText {
        guard let text = TokenText(secret) else {
            throw MintFailure(.secretUnavailable, detail: "the key is too long, or has a space or a control character")
        }
        return text
    }
}
