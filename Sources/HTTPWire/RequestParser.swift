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
    /// Why a request was refused, and what its path began with.
    private var refused: (reason: WireRefusal, path: [UInt8])?

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

    /// What has come of the path of the request that is being read or was refused, not decoded: enough to know whom an
    /// answer is for that is given before the request is whole. Empty where the request line has not come so far or makes
    /// no sense.
    public var beginningOfPath: [UInt8] {
        switch phase {
        case .head: RequestHead.path(begunBy: headReader.collected)
        case .body: pending.map { RequestHead.path(begunBy: $0.head.headers.head) } ?? []
        case .finished: []
        case .refused: refused?.path ?? []
        }
    }

    /// How many bytes of an unfinished request are held.
    var bufferedBytes: Int {
        headReader.bufferedBytes + (pending?.body.body.count ?? 0)
    }

    /// Takes bytes of `input` from `position` on, until there is something to say, and moves `position` behind them.
    ///
    /// Call it again with the same input until it says ``Event/needsMore``; then all of it has been taken. What follows
    /// a request that ends the connection is taken and ignored (RFC 9112 section 9.6).
    public mutating func next(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        switch phase {
        case .head: return nextHead(input, &position)
        case .body: return nextBody(input, &position)
        case .finished:
            position = input.count
            return .needsMore
        case .refused:
            guard let refused else { preconditionFailure("refused without a reason") }
            return .refused(refused.reason)
        }
    }

    private mutating func nextHead(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        let bytes: [UInt8]
        do throws(WireRefusal) {
            guard let head = try headReader.next(input, &position, limits: limits) else { return .needsMore }
            bytes = head
        } catch {
            return refuse(error, head: headReader.collected)
        }
        do throws(WireRefusal) {
            let head = try RequestHead(parsing: bytes, limits: limits)
            guard let body = try head.bodyReader(limits: limits) else { return finish(HTTPRequest(head: head)) }
            phase = .body
            pending = (head, body)
            return head.expectsContinue ? .continueExpected : nextBody(input, &position)
        } catch {
            return refuse(error, head: bytes)
        }
    }

    private mutating func nextBody(_ input: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        do throws(WireRefusal) {
            guard try pending?.body.read(input, &position, limits: limits) == true, let whole = pending else {
                return .needsMore
            }
            pending = nil
            return finish(HTTPRequest(head: whole.head, body: whole.body.body))
        } catch {
            return refuse(error, head: pending?.head.headers.head ?? [])
        }
    }

    private mutating func finish(_ request: HTTPRequest) -> Event {
        phase = request.keepsAlive ? .head : .finished
        return .request(request)
    }

    /// - Parameter head: what has come of it.
    private mutating func refuse(_ reason: WireRefusal, head: [UInt8]) -> Event {
        phase = .refused
        refused = (reason, RequestHead.path(begunBy: head))
        pending = nil
        headReader = HeadReader()
        return .refused(reason)
    }
}
