internal import Digests
internal import HTTPWire
internal import TokenBroker

/// The request that a proxy asks about: in the headers that proxies put it into, else the very request that came.
///
/// nginx and Traefik ask with one of their own; Envoy and Caddy send the client's, below the path.
struct ForwardedRequest {
    let method: String
    let target: String?
    let bodyDigest: [UInt8]?
    let appVersion: String?
    /// The credential that the provider refused.
    let rejected: TokenText?

    private static let longestTarget = 8192

    /// - Parameter rest: what follows the token's name in the path.
    init(_ request: HTTPRequest, rest: ArraySlice<UInt8>) throws(InvalidRequest) {
        let headers = request.headers
        guard headers.count(of: "x-appattest-proof") == 0 else {
            throw InvalidRequest("a request with a proof of App Attest goes straight to its gateway")
        }
        method = try headers.first(of: ["x-forwarded-method", "x-original-method"]) ?? request.method.name
        guard HTTPMethod.isToken(method) else { throw InvalidRequest("the original method is not one") }
        target = try Self.target(of: request, rest)
        bodyDigest = try Self.bodyDigest(of: request, method: method)
        appVersion = try headers.sole("x-app-version")
        if let appVersion, !AppVersion.isOne(appVersion) { throw InvalidRequest(AppVersion.rule) }
        rejected = try headers.sole("x-rejected-authorization").flatMap(\.withoutBearer).flatMap { TokenText($0) }
    }

    private static func target(
        of request: HTTPRequest,
        _ rest: ArraySlice<UInt8>
    ) throws(InvalidRequest) -> String? {
        if let named = try request.headers.first(of: ["x-forwarded-uri", "x-original-uri"]) {
            return named.utf8.count <= longestTarget ? named : nil
        }
        guard !rest.isEmpty else { return nil }
        let query = request.query.map { [UInt8(ascii: "?")] + $0 } ?? []
        return String(decoding: rest + query, as: UTF8.self)
    }

    /// By what says it most surely: a hash that the proxy gives, the body itself where it came along whole, and the
    /// method where that has none.
    private static func bodyDigest(of request: HTTPRequest, method: String) throws(InvalidRequest) -> [UInt8]? {
        if let text = try request.headers.sole("x-body-sha256") {
            guard let digest = Hexadecimal.bytes(text), digest.count == SHA256.length else {
                throw InvalidRequest("X-Body-SHA256 is 64 hexadecimal digits")
            }
            return digest
        }
        // Envoy says whether it cut the body off.
        let partial = try request.headers.sole("x-envoy-auth-partial-body")?.lowercased()
        if partial != "true", !request.body.isEmpty || partial == "false" { return SHA256.digest(of: request.body) }
        return request.body.isEmpty && HTTPMethod.hasNoBody(method) ? SHA256.digest(of: []) : nil
    }
}

extension HeaderFields {
    /// The value of a header that may occur once.
    ///
    /// - Returns: nil where it is not there or has no value, as proxies send what they have nothing for.
    /// - Throws: when it occurs twice, as one of the two may be the client's; and when it is not UTF-8, which could be
    ///   read as another text's.
    func sole(_ name: String) throws(InvalidRequest) -> String? {
        guard count(of: name) <= 1 else { throw InvalidRequest("the header \(name) occurs more than once") }
        guard let bytes = firstBytes(name), !bytes.isEmpty else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InvalidRequest("the header \(name) is not UTF-8")
        }
        return text
    }

    /// The value of the first of these headers that is there, on the same terms.
    fileprivate func first(of names: [String]) throws(InvalidRequest) -> String? {
        for name in names {
            if let value = try sole(name) { return value }
        }
        return nil
    }
}

extension String {
    /// What follows `Bearer`, in any case (RFC 9110 §11.1); the whole text where that is not there.
    ///
    /// - Returns: nil where nothing follows.
    var withoutBearer: String? {
        guard prefix(while: { $0 != " " }).lowercased() == "bearer" else { return self }
        let rest = drop { $0 != " " }.drop { $0 == " " }
        return rest.isEmpty ? nil : String(rest)
    }
}
