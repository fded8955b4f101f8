internal import TokenBroker

/// One caller's wish for a credential, whatever the form in which it will be answered.
struct CredentialCall {
    enum Wish {
        case atLeast(Duration)
        /// The provider refused this one, with this code where it is known.
        case another(than: TokenText, providerCode: String?)
    }

    let name: Name
    let peer: Peer
    let door: Door
    let user: CallUser
    let wish: Wish
    /// How long the caller is ready to wait for a mint.
    var patience: Duration
    /// For whom problems are worded.
    let audience: Problem.Audience
    /// The answer with the credential; called while it lives.
    let present: (ServedToken, _ isDegraded: Bool, Moment) -> Reply

    /// The same by a caller who has that much patience left.
    func waiting(_ patience: Duration) -> CredentialCall {
        var call = self
        call.patience = patience
        return call
    }
}

/// Where a peer comes in: what it wants to use, and who may.
struct Door {
    let surface: Surface
    /// In place of the token's own grants.
    var grants: [Grant]?
}
