/// The parts of a base URL that decide how it may be reached, and the only ones that are named in failures.
struct Origin: Sendable {
    let scheme: String
    let host: String
    /// Host and port as the URL has them, without user information.
    let authority: String

    /// - Returns: nil for what is neither an `https` URL nor an `http` one on a loopback address: no key travels in clear.
    init?(baseURL: String) {
        guard let separator = baseURL.firstRange(of: "://") else { return nil }
        scheme = baseURL[..<separator.lowerBound].lowercased()
        let rest = baseURL[separator.upperBound...].prefix { !"/?#\\".contains($0) }
        // User information would be a secret in a place where nobody looks for one.
        guard !rest.contains("@") else { return nil }
        authority = String(rest)
        host = Self.host(of: rest)
        guard !host.isEmpty, scheme == "https" || (scheme == "http" && isLoopback) else { return nil }
    }

    /// Whether the host is this one: `localhost` and names under it (RFC 6761 §6.3), `127.0.0.0/8`, `::1`.
    var isLoopback: Bool {
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost") || name == "::1" || isLoopbackIPv4
    }

    private var isLoopbackIPv4: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func host(of authority: Substring) -> String {
        if authority.first == "[" {
            return String(authority.dropFirst().prefix { $0 != "]" })
        }
        return String(authority.prefix { $0 != ":" })
    }
}
