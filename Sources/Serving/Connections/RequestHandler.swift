internal import EventLoop
internal import HTTPWire
internal import TokenBroker

/// One of the two APIs: turns a request into an answer, at once or later. Called on the loop's thread only.
protocol RequestHandler: AnyObject {
    /// Whether it has to know more of a peer than its credentials, which is looked at before a byte is read.
    var looksAtProcesses: Bool { get }

    /// Whether requests may hold a long-lived key: what was read of them is then not left lying about.
    var takesSecrets: Bool { get }

    /// Whether the configuration names a peer, so that there may be something for it here.
    func names(_ peer: Peer) -> Bool

    /// The answer to a request for a token that has come whole and alone, where its bytes and its peer are enough to know
    /// it; nil where it has to be read.
    func readyAnswer(to head: UnsafeRawBufferPointer, from peer: Peer) -> ReadyAnswer?

    /// For whom the answer to a request is that is refused before it has come whole.
    ///
    /// - Parameter beginning: what is known of its path; empty where nothing is.
    func audience(ofPath beginning: [UInt8]) -> Problem.Audience

    /// - Parameters:
    ///   - peer: who the kernel says is asking.
    ///   - completion: how an answer that comes later finds its way back.
    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome
}

extension RequestHandler {
    var takesSecrets: Bool { false }

    func readyAnswer(to head: UnsafeRawBufferPointer, from peer: Peer) -> ReadyAnswer? { nil }

    func audience(ofPath beginning: [UInt8]) -> Problem.Audience { .programs }
}

/// What becomes of a request.
enum Outcome {
    case reply(Reply)
    case wait(Waiting)

    static func respond(_ response: HTTPResponse) -> Outcome {
        .reply(.response(response))
    }
}

/// An answer, made for this request or ready from an earlier one.
enum Reply {
    case response(HTTPResponse)
    case ready(ReadyAnswer)

    var status: Int {
        switch self {
        case .response(let response): response.status
        case .ready(let answer): answer.response.status
        }
    }

    func bytes(for request: HTTPRequest, keepsAlive: Bool) -> [UInt8] {
        switch self {
        case .response(let response): response.bytes(for: request, keepsAlive: keepsAlive)
        case .ready(let answer): answer.bytes(for: request, keepsAlive: keepsAlive)
        }
    }
}

/// A request whose answer is still to come. It costs no thread and no buffer.
struct Waiting {
    /// How long the caller is ready to wait.
    let patience: Duration
    /// Makes the answer from what was waited for, or goes on to wait for something else.
    let onResolution: (Resolution) -> Outcome
    /// Makes the answer when the patience has run out, or goes on to wait for something else: by the completion that it is
    /// given, because what was waited for may still come by the one before, and is dropped.
    let onDeadline: (Completion) -> Outcome
    /// Makes the answer when the server stops.
    var onDrain: () -> HTTPResponse = { Problem.shuttingDown.response }
    /// The caller hung up.
    let onAbandoned: () -> Void

    /// What an operator is told at the deadline, while what was asked for goes on.
    static func late(_ detail: String) -> (Completion) -> Outcome {
        { _ in .respond(Problem(.deadlineExceeded, detail).response) }
    }
}

/// What was waited for, as it comes from another thread.
enum Resolution: Sendable {
    case token(TokenAnswer)
    /// The problems of a configuration that was not taken; none where it was.
    case reload(problems: [String])
    /// What a route's gate made of a registration or a proof.
    case device(DeviceGate.Answer)
    case devices(DeviceGate.Page)
    case revocation(DeviceGate.Revocation)
    /// What became of a change to the device policy.
    case devicePolicy(Result<DevicePolicyInForce, DevicePolicyRefusal>)
    case examination(Examination)
    /// The answer itself, made on another thread.
    case answer(HTTPResponse)
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
