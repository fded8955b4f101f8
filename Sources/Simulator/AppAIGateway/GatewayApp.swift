/// An app that is registered with the gateway.
struct GatewayApp {
    /// How its server's requests are told apart by user.
    enum EndUser {
        /// Not at all.
        case none
        /// A header field names the user.
        case header
        /// The user's own issuer token is exchanged, with the key, for a gateway token.
        case issuer
    }

    let id: String
    let endUser: EndUser
    var isDisabled = false

    /// One of each kind.
    static let examples = [
        GatewayApp(id: "example-none-a1b2c3", endUser: .none),
        GatewayApp(id: "example-header-a1b2c3", endUser: .header),
        GatewayApp(id: "example-issuer-a1b2c3", endUser: .issuer),
    ]
}
