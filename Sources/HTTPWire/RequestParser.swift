/// Reads requests from the bytes of one connection, which may come in pieces of any size and hold several requests.
///
/// It is meant for a socket that hostile users may connect to. A connection that is idle holds no memory but this value;
/// a request that lies whole in the caller's buffer is copied once; what is collected never exceeds the limits. What
/// RFC 9112 leaves open or lets a server repair is refused.
public struct RequestParser: Sendable {
    public enum Event: Sendable {
        /// All input has been taken; there is no whole request yet.
        case needsMore
        case request(HTTPRequest)
        /// The client waits for ``HTTPResponse/continueBytes`` before it sends a body. Go on reading after sending them.
        case continueExpected
        /// Answer with what the refusal says and close the connection. Every later call says the same.
        case refused(WireRefusal)
    }

    private enum Phase {
        case head, body, finished, refused
    }

    private let limits: WireLimits
    /// Kept beside what it goes with, so that an idle parser is told from others at a glance.
    private var phase = Phase.head
    private var headReader = HeadReader()
    /// The request whose body is being read.
    private var pending: (head: RequestHead, body: BodyReader)?
    private var refusal: WireRefusal?

    public init(limits: WireLimits = .default) {
        self.limits = limits
    }

    /// No byte of a next request has been seen: the connection is idle rather than slow.
    public var isIdle: Bool {
        switch phase {
        case .head, .finished: headReader.isIdle
        case .body, .refused: false
        }
    }

    /// The next byte is the first since the last request: not even an empty line came before it.
    public var isAtStart: Bool { phase == .head && headReader.isAtStart }

    /// How many bytes of an unfinished request are held.
    var bufferedBytes: Int {
        headReader.bufferedBytes + (pending?.body.body.count ?? 0)
    }

    /// Takes bytes of `input` from `position` on, until there is something to say, and moves `position` behind them.
    ///
    /// Call it again with the same input until it says ``Event/needsMore``; then all of it has been taken. What follows
    /// a request that ends the connection is taken and ignored (RFC 9112 section 9.6).
    public mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        do throws(WireRefusal) {
            switch phase {
            case .head: return try nextHead(input, &position)
            case .body: return try nextBody(input, &position)
            case .finished:
                position = input.count
                return .needsMore
            case .refused: break
            }
        } catch {
            refuse(error)
        }
        guard let refusal else { preconditionFailure("refused without a reason") }
        return .refused(refusal)
    }

    private mutating func refuse(_ reason: WireRefusal) {
        phase = .refused
        refusal = reason
        pending = nil
        headReader = HeadReader()
    }

    private mutating func nextHead(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(WireRefusal) -> Event {
        guard let bytes = try headReader.next(input, &position, limits: limits) else { return .needsMore }
        let head = try RequestHead(parsing: bytes, limits: limits)
        guard let body = try head.bodyReader(limits: limits) else { return finish(HTTPRequest(head: head)) }
        phase = .body
        pending = (head, body)
        return try head.expectsContinue ? .continueExpected : nextBody(input, &position)
    }

    private mutating func nextBody(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(WireRefusal) -> Event {
        guard try pending?.body.read(input, &position, limits: limits) == true, let whole = pending else {
            return .needsMore
        }
        pending = nil
        return finish(HTTPRequest(head: whole.head, body: whole.body.body))
    }

    private mutating func finish(_ request: HTTPRequest) -> Event {
        phase = request.keepsAlive ? .head : .finished
        return .request(request)
    }
}
