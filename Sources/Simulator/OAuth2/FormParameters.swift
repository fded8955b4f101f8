internal import HTTPWire

/// The parameters of a token request.
struct FormParameters {
    /// The one parameter that may come more than once (RFC 8707 section 2).
    private static let repeatable = "resource"

    private let items: QueryItems

    /// A parameter without a value counts as left out, and none is repeated (RFC 6749 section 3.2).
    init(_ request: HTTPRequest) throws(OAuth2Refusal) {
        let mediaType = request.headers.first("Content-Type")?.prefix { $0 != ";" && $0 != " " }
        guard mediaType?.lowercased() == "application/x-www-form-urlencoded",
            let items = QueryItems(parsing: request.body[...])
        else { throw .invalidRequest }
        let names = items.items.map(\.name).filter { $0 != Self.repeatable }
        guard Set(names).count == names.count else { throw .invalidRequest }
        self.items = items
    }

    subscript(name: String) -> String? {
        items.values(name).first { !$0.isEmpty }
    }

    var resources: [String] {
        items.values(Self.repeatable).filter { !$0.isEmpty }
    }

    /// One form-encoded text.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let items = QueryItems(parsing: Array("value=".utf8)[...] + bytes)?.items, items.count == 1 else {
            return nil
        }
        return items.first?.value
    }
}
