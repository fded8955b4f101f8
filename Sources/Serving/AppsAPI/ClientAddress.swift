internal import Glibc
internal import HTTPWire
internal import TokenBroker

/// Whom a limit counts as one client.
enum ClientAddress: Hashable {
    /// An IPv4 address, or the network that an IPv6 address is in: a household or a phone has all of a /64.
    case network([UInt8])
    /// A program of this host that speaks for itself.
    case user(UInt32)
    /// A proxy said nothing that could be read.
    case unreadable
}

extension ClientAddress {
    private static let networkLength = 8

    /// The client behind a request.
    ///
    /// - Returns: nil where the configuration names no header to read it from: all clients of a proxy would be one.
    init?(_ request: HTTPRequest, from peer: Peer, by source: ClientAddressSource?) {
        guard let source else { return nil }
        guard source.trusts(peer) else {
            self = .user(peer.uid)
            return
        }
        // What the client sent itself stands left of what the proxy has added.
        let last = request.headers.values(source.header).last?.split(separator: ",").last
        self = last.flatMap { Self(parsing: $0) } ?? .unreadable
    }

    /// Reads an address with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    init?(parsing text: Substring) {
        let text = text.filter { $0 != " " && $0 != "\t" }
        let address: Substring
        if text.hasPrefix("[") {
            address = text.dropFirst().prefix { $0 != "]" }
        } else if text.count(where: { $0 == ":" }) == 1 {
            address = text.prefix { $0 != ":" }
        } else {
            address = text[...]
        }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, String(address), &v4) == 1 {
            self = .network(withUnsafeBytes(of: v4) { Array($0) })
        } else if inet_pton(AF_INET6, String(address), &v6) == 1 {
            let bytes = withUnsafeBytes(of: v6) { Array($0) }
            let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            self = .network(Array(isMapped ? bytes.suffix(4) : bytes.prefix(Self.networkLength)))
        } else {
            return nil
        }
    }
}
