internal import Glibc

/// Takes connections from a listener, a bounded number a turn, and rests when the process is out of descriptors.
///
/// Without the rest a level-triggered loop would spin: the connection that cannot be taken stays in the queue and is
/// reported again at once. The kernel keeps those who wait meanwhile. On the loop's thread only; the loop holds it until
/// `stop`.
public final class Acceptor: ReadinessHandler {
    /// Connections taken in one turn, so that a burst of new ones does not starve those being served.
    static let connectionsPerTurn = 64

    /// How long it rests: long enough to cost nothing, short enough that a caller hardly notices.
    static let pause: Duration = .milliseconds(100)

    private let loop: EventLoop
    private let listener: any Listener
    private let limit: Int32
    private let onConnection: (consuming Descriptor) -> Void
    private let onShortage: (SystemError) -> Void
    private let onFailure: (SystemError) -> Void
    private var watch: Watch?
    private var rest: Timer?
    private var shortageReported = false

    /// Begins to accept.
    ///
    /// - Parameters:
    ///   - limit: A connection whose descriptor's number is not below it is closed at once and counts as a shortage
    ///     (`EMFILE`). The kernel hands out the lowest free number, so the numbers above stay free for other work; see
    ///     `limit(reserving:)`.
    ///   - onConnection: Gets each connection, before a byte of it is read.
    ///   - onShortage: Called once for each episode of shortage, which ends with the next connection taken: the moment
    ///     to log it and to let go of idle connections.
    ///   - onFailure: The listener is dead and nothing will be accepted any more. The process should end.
    public init(
        loop: EventLoop,
        listener: any Listener,
        limit: Int32 = .max,
        onConnection: @escaping (consuming Descriptor) -> Void,
        onShortage: @escaping (SystemError) -> Void,
        onFailure: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.listener = listener
        self.limit = limit
        self.onConnection = onConnection
        self.onShortage = onShortage
        self.onFailure = onFailure
        watch = try listener.watch(on: loop, self)
        rest = loop.timer { [unowned self] in resume() }
    }

    /// The limit that leaves a number of descriptors free below what the process may open (`RLIMIT_NOFILE`).
    public static func limit(reserving reserve: Int32) -> Int32 {
        var resource = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &resource) == 0 else { return .max }
        return Int32(clamping: resource.rlim_cur) - reserve
    }

    /// Stops accepting, for good; the listener stays open and those in its queue wait.
    public func stop() {
        rest?.cancel()
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    public func ready(_ readiness: Readiness) {
        for _ in 0..<Self.connectionsPerTurn where watch != nil {
            do throws(SystemError) {
                guard let connection = try listener.accept() else { return }
                guard connection.number < limit else { throw SystemError(call: "accept4", number: EMFILE) }
                shortageReported = false
                onConnection(connection)
            } catch {
                if error.isShortage { return rest(because: error) }
                if !error.isOneConnectionsOwn { return fail(error) }
            }
        }
    }

    private func rest(because error: SystemError) {
        guard let watch else { return }
        loop.change(watch, to: [])
        rest?.arm(after: Self.pause)
        guard !shortageReported else { return }
        shortageReported = true
        onShortage(error)
    }

    private func resume() {
        if let watch { loop.change(watch, to: .read) }
    }

    private func fail(_ error: SystemError) {
        stop()
        onFailure(error)
    }
}

extension SystemError {
    /// Whether only the connection about to be accepted is over: Linux reports its pending network errors from
    /// `accept` (accept(2), "Error handling").
    fileprivate var isOneConnectionsOwn: Bool {
        [
            ECONNABORTED, EPERM, EPROTO, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET,
            EOPNOTSUPP,
        ].contains(number)
    }
}
