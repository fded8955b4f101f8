internal import Glibc

/// A provider's address: scheme, host, port and path prefix, and nothing that a request adds.
///
/// Written for this one use: what a general reader of URLs would repair is refused here, so that what the file says is
/// what is connected to (RFC 3986, without userinfo and fragment, and without a query but for an endpoint's).
struct BaseURL {
    enum Fault: Error, Equatable {
        case notAURL
        case insecure
        case hasUserinfo
        case hasQuery
        case hasFragment
        case badHost
        case badPort
        case badPath
        case badQuery
    }

    /// Without a slash at the end, but for an endpoint's.
    let text: String

    /// - Parameter isEndpoint: whether it is where the requests go, and nothing is added to it: a slash at the end and a
    ///   query are a part of it then.
    init(_ text: String, isEndpoint: Bool = false) throws(Fault) {
        guard let separator = text.firstRange(of: "://") else { throw .notAURL }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .notAURL }
        let rest = text[separator.upperBound...]
        guard !rest.contains("#") else { throw .hasFragment }
        let place = rest.prefix { $0 != "?" }
        let query = rest.dropFirst(place.count)
        guard isEndpoint || query.isEmpty else { throw .hasQuery }
        let authority = place.prefix { $0 != "/" }
        guard !authority.contains("@") else { throw .hasUserinfo }
        let (host, port) = try Self.split(authority)
        let isLoopback = try Self.checkHost(host)
        guard scheme == "https" || isLoopback else { throw .insecure }
        let path = place.dropFirst(authority.count)
        let keptPath = isEndpoint ? path : Self.trimmed(path)
        guard Self.isPath(keptPath) else { throw .badPath }
        guard query.utf8.allSatisfy(Self.isOfQuery) else { throw .badQuery }
        self.text = "\(scheme)://\(host.lowercased())\(port.map { ":\($0)" } ?? "")\(keptPath)\(query)"
    }

    private static func split(_ authority: Substring) throws(Fault) -> (host: Substring, port: UInt16?) {
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map(authority.index(after:))
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let hostEnd else { throw .badHost }
        let tail = authority[hostEnd...]
        if tail.isEmpty { return (authority, nil) }
        guard tail.first == ":", tail.dropFirst().utf8.allSatisfy(isDigit), let port = UInt16(tail.dropFirst()),
            port > 0
        else { throw .badPort }
        return (authority[..<hostEnd], port)
    }

    /// - Returns: whether the host can only be this one.
    private static func checkHost(_ host: Substring) throws(Fault) -> Bool {
        if host.hasPrefix("[") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { throw .badHost }
            return withUnsafeBytes(of: address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
        guard (1...253).contains(host.utf8.count),
            host.utf8.allSatisfy({ isAlphanumeric($0) || "-.".utf8.contains($0) })
        else { throw .badHost }
        var address = in_addr()
        if inet_pton(AF_INET, String(host), &address) == 1 {
            return withUnsafeBytes(of: address) { $0.first == 127 }
        }
        return host.lowercased() == "localhost"
    }

    private static func trimmed(_ path: Substring) -> Substring {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Segments of RFC 3986's `pchar`; no dots, which a client would take out again, and no empty ones but the last.
    private static func isPath(_ path: Substring) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return segments.dropLast(path.hasSuffix("/") ? 1 : 0).allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".." && segment.utf8.allSatisfy(isOfSegment)
        }
    }

    private static func isOfSegment(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~!$&'()*+,;=:@".utf8.contains(byte)
    }

    private static func isOfQuery(_ byte: UInt8) -> Bool {
        isOfSegment(byte) || "/?%".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension Field {
    /// A provider's address. It is in no error: a URL can carry a password.
    func baseURL(isEndpoint: Bool = false) -> String? {
        guard let text = text("an https URL") else { return nil }
        do {
            return try BaseURL(text, isEndpoint: isEndpoint).text
        } catch {
            return refusing(error.explanation)
        }
    }
}

extension BaseURL.Fault {
    fileprivate var explanation: String {
        switch self {
        case .notAURL: "expected an https URL"
        case .insecure: "expected https; http is for a loopback address only (127.0.0.0/8, ::1, localhost)"
        case .hasUserinfo: "a URL with a user or a password: the key belongs under 'secrets'"
        case .hasQuery: "a URL with a query: expected scheme, host, port and path"
        case .hasFragment: "a URL with a fragment, which is never sent: leave it out"
        case .badHost: "the host is neither a name nor an address"
        case .badPort: "the port is not a number from 1 to 65535"
        case .badPath: "the path has an empty segment, a dot segment, or a character that must not be there"
        case .badQuery: "the query has a character that must not be there"
        }
    }
}
