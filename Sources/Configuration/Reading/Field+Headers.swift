internal import TokenBroker

extension Field {
    /// A header's value: visible ASCII, with spaces between.
    func headerValue(_ expectation: String = "a header's value") -> String? {
        guard let text = text(expectation) else { return nil }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.first != " ", text.last != " " else {
            return refusing("has a character that a header cannot carry")
        }
        return text
    }

    /// A header's name (RFC 9110 §5.6.2).
    func headerName() -> String? {
        guard let text = text("a header's name") else { return nil }
        return HeaderName.isValid(text) ? text : refusing("expected a header's name")
    }

    /// The name of a header in which a proxy tells the end user: not one that tells something else already.
    func endUserHeaderName() -> String? {
        headerName(for: "the end user")
    }

    /// The name of a header in which a proxy tells the client's address, on the same terms.
    func addressHeaderName() -> String? {
        headerName(for: "the client's address")
    }

    private func headerName(for purpose: String) -> String? {
        guard let name = headerName() else { return nil }
        guard !HeaderName.reserved.union(HeaderName.steering).contains(name.lowercased()) else {
            return refusing("is not a header for \(purpose): it means something else to the broker")
        }
        return name
    }

    /// Headers by name, for each request of an app.
    func headers() -> [CredentialHeader]? {
        var names: Set<String> = []
        return entries()?.compactMap { entry in
            let field = child(entry)
            guard HeaderName.isValid(entry.key) else { return field.refusingBlock("not a header's name") }
            guard !HeaderName.reserved.contains(entry.key.lowercased()) else {
                return field.refusingBlock("is not a header to set here: the credential and the connection decide it")
            }
            guard names.insert(entry.key.lowercased()).inserted else {
                return field.refusingBlock("is there already: the names of headers are the same in any case")
            }
            return field.headerValue().map { CredentialHeader(entry.key, $0) }
        }
    }
}

private enum HeaderName {
    /// What the broker or the connection sets by itself.
    static let reserved: Set<String> = [
        "authorization", "cache-control", "connection", "content-length", "host", "keep-alive", "proxy-authorization",
        "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// By what a proxy tells the broker something else.
    static let steering: Set<String> = [
        "prefer", "x-app-version", "x-appattest-proof", "x-body-sha256", "x-device-proof", "x-envoy-auth-partial-body",
        "x-forwarded-method", "x-forwarded-uri", "x-original-method", "x-original-uri", "x-rejected-authorization",
    ]

    static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
