internal import EventLoop
internal import HTTPWire
internal import TokenBroker

/// One of the two APIs: turns a request into an answer, at once or later. Called on the loop's thread only.
protocol RequestHandler: AnyObject {
    /// Whether it has to know more of a peer than its credentials, which is looked at before a byte is read.
    var looksAtProcesses: Bool { get }

    /// - Parameters:
    ///   - peer: who the kernel says is asking.
    ///   - completion: how an answer that comes later finds its way back.
    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome
}

/// What becomes of a request.
enum Outcome {
    case respond(HTTPResponse)
    /// An answer whose usual form is already in bytes.
    case respondReady(ReadyAnswer)
    case wait(Waiting)
}

/// A request whose answer is still to come. It costs no thread and no buffer.
struct Waiting {
    /// How long the caller is ready to wait.
    let patience: Duration
    /// Makes the answer from what was waited for.
    let onResolution: (Resolution) -> HTTPResponse
    /// Makes the answer when the patience has run out.
    let onDeadline: () -> HTTPResponse
    /// The caller hung up.
    let onAbandoned: () -> Void
}

/// What was waited for, as it comes from another thread.
enum Resolution: Sendable {
    case token(TokenAnswer)
    /// The problems of a configuration that was not taken; none where it was.
    case reload(problems: [String])
}

/// Brings a resolution from any thread to the request that waits for it. One that comes too late is dropped.
struct Completion: Sendable {
    let server: Server
    let connection: ConnectionID
    /// Tells the request from an earlier one on the same connection.
    let request: UInt64

    func callAsFunction(_ resolution: Resolution) {
        server.loop.post { server.resolve(connection, request, resolution) }
    }
}

/// A connection of one server; never used twice.
struct ConnectionID: Hashable, Sendable {
    let number: UInt64
}
