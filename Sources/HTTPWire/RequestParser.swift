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

    private let limits: WireLimits
    private var headReader = HeadReader()
    /// The request whose body is being read.
    private var pending: RequestHead?
    private var refusal: WireRefusal?
    private var isFinished = false

    public init(limits: WireLimits = .default) {
        self.limits = limits
    }

    /// No byte of a next request has been seen: the connection is idle rather than slow.
    public var isIdle: Bool {
        pending == nil && headReader.isIdle && refusal == nil
    }

    /// How many bytes of an unfinished request are held.
    var bufferedBytes: Int {
        headReader.bufferedBytes + (pending?.body?.body.count ?? 0)
    }

    /// Takes bytes of `input` from `position` on, until there is something to say, and moves `position` behind them.
    ///
    /// Call it again with the same input until it says ``Event/needsMore``; then all of it has been taken. What follows
    /// a request that ends the connection is taken and ignored (RFC 9112 section 9.6).
    public mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        if let refusal { return .refused(refusal) }
        if isFinished {
            position = input.count
            return .needsMore
        }
        do throws(WireRefusal) {
            return try pending == nil ? nextHead(input, &position) : nextBody(input, &position)
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
        guard let bytes = try headReader.next(input, &position, limits: limits) else { return .needsMore }
        let head = try RequestHead(parsing: bytes, limits: limits)
        if head.body == nil { return finish(head.request) }
        let expectsContinue = head.expectsContinue
        pending = head
        return try expectsContinue ? .continueExpected : nextBody(input, &position)
    }

    private mutating func nextBody(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(WireRefusal) -> Event {
        guard try pending?.body?.read(input, &position, limits: limits) == true, let head = pending else {
            return .needsMore
        }
        pending = nil
        var request = head.request
        request.body = head.body?.body ?? []
        return finish(request)
    }

    private mutating func finish(_ request: HTTPRequest) -> Event {
        isFinished = !request.keepsAlive
        return .request(request)
    }
}
