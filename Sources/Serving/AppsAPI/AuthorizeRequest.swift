internal import Digests
internal import HTTPWire
internal import JSON
internal import TokenBroker

/// What an app says of the request that it is about to send: the body of `POST /v1/authorize/NAME`.
struct AuthorizeRequest {
    private(set) var claim = UserClaim()
    private var method = "GET"
    private var url: String?
    private var bodyDigest: [UInt8]?
    private var appVersion: String?

    init(_ request: HTTPRequest) throws(InvalidRequest) {
        guard request.query == nil else { throw InvalidRequest("this path takes its parameters in the body") }
        guard !request.body.isEmpty else { return }
        for member in try JSONObject(requestBody: request.body).members {
            if try claim.take(member) { continue }
            try take(member)
        }
    }

    private mutating func take(_ member: JSONObject.Member) throws(InvalidRequest) {
        switch member.name {
        case "method":
            method = try Self.text(member)
            guard HTTPMethod.isToken(method) else { throw InvalidRequest("method is an HTTP method in capitals") }
        case "url": url = try Self.text(member)
        case "body", "body_sha256":
            guard bodyDigest == nil else { throw InvalidRequest("give body or body_sha256, not both") }
            let text = try Self.text(member)
            bodyDigest = member.name == "body" ? SHA256.digest(of: Array(text.utf8)) : try Self.digest(text)
        case "app_version":
            let version = try Self.text(member)
            guard AppVersion.isOne(version) else { throw InvalidRequest(AppVersion.rule) }
            appVersion = version
        default: throw .unknownParameter("method, url, body, body_sha256, app_version, end_user and issuer_token")
        }
    }

    private static func text(_ member: JSONObject.Member) throws(InvalidRequest) -> String {
        guard let text = member.value.string else { throw InvalidRequest("\(member.name) is not a text") }
        return text
    }

    private static func digest(_ text: String) throws(InvalidRequest) -> [UInt8] {
        guard let digest = Hexadecimal.bytes(text), digest.count == SHA256.length else {
            throw InvalidRequest("body_sha256 is the SHA-256 of the body as 64 hexadecimal digits")
        }
        return digest
    }

    /// - Parameter baseURL: the provider's, whose origin the URL must have.
    func appRequest(
        for user: CallUser,
        baseURL: String,
        at moment: Moment
    ) throws(InvalidRequest) -> AppRequest {
        AppRequest(
            method: method,
            target: try url.map { url throws(InvalidRequest) in try Self.target(of: url, on: baseURL) },
            bodyDigest: bodyDigest ?? (HTTPMethod.hasNoBody(method) ? SHA256.digest(of: []) : nil),
            endUser: user.id,
            appVersion: appVersion,
            at: moment
        )
    }

    /// The path and query of a URL that is a path, or absolute on the provider's own origin: a credential is for no other.
    private static func target(of url: String, on baseURL: String) throws(InvalidRequest) -> String {
        let fault = InvalidRequest("url is a path, or a URL on the provider's own origin")
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.contains("#"), !url.contains("\\") else {
            throw fault
        }
        if url.hasPrefix("/") {
            guard !url.hasPrefix("//") else { throw fault }
            return url
        }
        guard let (origin, rest) = split(url), let (own, _) = split(baseURL), origin == own else { throw fault }
        return rest.hasPrefix("/") ? rest : "/" + rest
    }

    /// A URL's origin in its one spelling, and what follows it.
    private static func split(_ url: String) -> (origin: String, rest: String)? {
        guard let separator = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<separator.lowerBound].lowercased()
        let authority = url[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        var host = authority.lowercased()
        let defaultPort = scheme == "https" ? ":443" : ":80"
        if host.hasSuffix(defaultPort) { host.removeLast(defaultPort.count) }
        return ("\(scheme)://\(host)", String(url[authority.endIndex...]))
    }
}

/// The version of an app, as it goes into a header.
enum AppVersion {
    static let rule = "app_version is 1 to 128 visible characters of ASCII"

    static func isOne(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension HTTPMethod {
    /// Whether requests of this method have no body (RFC 9110 §9.3: content in them has no meaning).
    static func hasNoBody(_ name: String) -> Bool {
        ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"].contains(name)
    }

    static func isToken(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || "-_".utf8.contains($0) }
    }
}
