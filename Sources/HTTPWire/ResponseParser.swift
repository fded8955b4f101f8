/// An answer as it was received; its body is whole and decoded from chunks.
public struct HTTPClientResponse: Sendable {
    public let status: Int
    public let version: HTTPVersion
    public let headers: HeaderFields
    /// Whether another request may be sent on this connection.
    public let keepsAlive: Bool
    public internal(set) var body: [UInt8] = []
}

/// Reads the answers to requests from the bytes of one connection, which may come in pieces of any size.
///
/// As strict as ``RequestParser``; interim answers (1xx) are skipped.
public struct ResponseParser: Sendable {
    public enum Event: Sendable {
        /// All input has been taken; there is no whole answer yet.
        case needsMore
        case response(HTTPClientResponse)
        /// Close the connection. Every later call says the same.
        case refused(WireRefusal)
    }

    /// Whether the next answer is to a HEAD request, and so has no body whatever its fields say.
    public var answersHead = false

    private let limits: WireLimits
    private var headReader = HeadReader()
    /// The answer whose body is being read.
    private var pending: ResponseHead?
    private var interimResponses = 0
    private var refusal: WireRefusal?

    public init(limits: WireLimits = .default) {
        var limits = limits
        // RFC 9112 section 2.2 has a server skip empty lines, not a client.
        limits.leadingEmptyLines = 0
        self.limits = limits
    }

    /// Takes bytes of `input` from `position` on, until there is something to say, and moves `position` behind them.
    public mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        decide { (parser) throws(WireRefusal) in
            try parser.pending == nil ? parser.nextHead(input, &position) : parser.nextBody(input, &position)
        }
    }

    /// The server has closed the connection: the end of an answer that has no other, else a refusal.
    public mutating func finish() -> Event {
        decide { (parser) throws(WireRefusal) in
            guard let head = parser.pending, head.body?.isUntilClose == true else {
                throw WireRefusal(.unexpectedEnd, "the connection was closed before the answer's end")
            }
            return parser.complete(head)
        }
    }

    private mutating func decide(_ body: (inout ResponseParser) throws(WireRefusal) -> Event) -> Event {
        if let refusal { return .refused(refusal) }
        do throws(WireRefusal) {
            return try body(&self)
        } catch {
            refusal = error
            pending = nil
            headReader = HeadReader()
            return .refused(error)
        }
    }

    private mutating func nextHead(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(WireRefusal) -> Event {
        while let bytes = try headReader.next(input, &position, limits: limits) {
            let head = try ResponseHead(parsing: bytes, limits: limits, answersHead: answersHead)
            if head.response.status >= 200 {
                if head.body == nil { return complete(head) }
                pending = head
                return try nextBody(input, &position)
            }
            interimResponses += 1
            if interimResponses > limits.interimResponses { throw .malformed("too many interim answers") }
        }
        return .needsMore
    }

    private mutating func nextBody(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(WireRefusal) -> Event {
        guard try pending?.body?.read(input, &position, limits: limits) == true, let head = pending else {
            return .needsMore
        }
        return complete(head)
    }

    private mutating func complete(_ head: ResponseHead) -> Event {
        pending = nil
        interimResponses = 0
        var response = head.response
        response.body = head.body?.body ?? []
        return .response(response)
    }
}
