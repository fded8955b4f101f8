internal import HTTPWire
internal import TokenBroker

/// Which rows of the audit log are asked for, or what they are to be compared with.
struct AuditQuery {
    private(set) var after: Int64 = 0
    private(set) var since: WallInstant?
    private(set) var limit = 100
    private(set) var heads: [AuditHead] = []

    /// At 300 bytes a row, an answer that is no burden.
    private static let largestLimit = 1000

    /// Reads `after`, `since` and `limit`.
    init(rows request: HTTPRequest) throws(InvalidRequest) {
        for (name, value) in try Self.items(of: request) {
            switch name {
            case "after":
                guard let number = Int64(value), number >= 0 else { throw InvalidRequest("after is a sequence number") }
                after = number
            case "since":
                guard let seconds = Int64(value), seconds >= 0 else { throw InvalidRequest("since is in unix seconds") }
                since = WallInstant(milliseconds: 0).advanced(by: .seconds(seconds))
            case "limit":
                guard let number = Int(value), (1...Self.largestLimit).contains(number) else {
                    throw InvalidRequest("limit is a number from 1 to \(Self.largestLimit)")
                }
                limit = number
            default: throw .unknownParameter("after, since and limit")
            }
        }
    }

    /// Reads `head`, which may be there more than once.
    init(heads request: HTTPRequest) throws(InvalidRequest) {
        for (name, value) in try Self.items(of: request) {
            guard name == "head" else { throw .unknownParameter("head") }
            guard let head = AuditHead(value) else {
                throw InvalidRequest("head is CLASS:SEQUENCE:CODE, as the journal has it in audit.head")
            }
            heads.append(head)
        }
    }

    private static func items(of request: HTTPRequest) throws(InvalidRequest) -> [(name: String, value: String)] {
        guard let items = QueryItems(parsing: request.query ?? []) else {
            throw InvalidRequest("the query is not well-formed")
        }
        return items.items
    }
}
