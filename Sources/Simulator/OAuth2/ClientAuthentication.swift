internal import HTTPWire

/// How a client says who it is (RFC 6749 section 2.3.1).
struct ClientAuthentication {
    enum Method: String {
        case basic, body
    }

    let method: Method
    let id: String
    let secret: String

    /// Takes the credentials from the Authorization field or from the body; from both at once is a malformed request.
    init(_ request: HTTPRequest, _ parameters: FormParameters) throws(OAuth2Refusal) {
        let fields = request.headers.values("Authorization")
        guard let field = fields.first else {
            guard let id = parameters["client_id"], let secret = parameters["client_secret"] else {
                throw .invalidClient
            }
            self.init(method: .body, id: id, secret: secret)
            return
        }
        guard fields.count == 1, parameters["client_secret"] == nil else { throw .invalidRequest }
        guard let (id, secret) = Self.basicCredentials(field) else { throw .invalidClient }
        if let named = parameters["client_id"], named != id { throw .invalidRequest }
        self.init(method: .basic, id: id, secret: secret)
    }

    private init(method: Method, id: String, secret: String) {
        self.method = method
        self.id = id
        self.secret = secret
    }

    /// Id and secret are form-encoded each before they are joined, so that an id may hold a colon.
    private static func basicCredentials(_ field: String) -> (id: String, secret: String)? {
        guard field.lowercased().hasPrefix("basic "), let bytes = Base64.decoded(String(field.dropFirst(6))),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = FormParameters.decoded(bytes[..<colon]),
            let secret = FormParameters.decoded(bytes[(colon + 1)...])
        else { return nil }
        return (id, secret)
    }
}
