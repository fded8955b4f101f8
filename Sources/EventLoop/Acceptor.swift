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

    /// A shortage this long after the one before is another one. Where clients come and go at the limit, connections
    /// are taken in between all the time, and one report each would be a flood.
    static let calm: Duration = .seconds(10)

    private let loop: EventLoop
    private let listener: any Listener
    private let limit: Int32
    private let onConnection: (consuming Descriptor) -> Void
    private let onShortage: (SystemError, _ isNew: Bool) -> Void
    private let onFailure: (SystemError) -> Void
    private var watch: Watch?
    private var rest: Timer?
    /// A connection that came when only reserved numbers were free: it waits for another, as those in the queue do.
    private var held: Descriptor?
    /// When descriptors ran out last, in boot nanoseconds.
    private var lastShortage: Int64?

    /// Begins to accept.
    ///
    /// - Parameters:
    ///   - limit: A connection whose descriptor's number is not below it waits, and counts as a shortage (`EMFILE`). The
    ///     kernel hands out the lowest free number, so the numbers above stay free for other work, all but one; see
    ///     `limit(reserving:)`.
    ///   - onConnection: Gets each connection, before a byte of it is read.
    ///   - onShortage: Called whenever descriptors are found short: the moment to let go of idle connections, and to log
    ///     it where it is new.
    ///   - onFailure: The listener is dead and nothing will be accepted any more. The process should end.
    public init(
        loop: EventLoop,
        listener: any Listener,
        limit: Int32 = .max,
        onConnection: @escaping (consuming Descriptor) -> Void,
        onShortage: @escaping (SystemError, _ isNew: Bool) -> Void,
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

    /// Stops accepting, for good. Nobody is lost by it: who waits in the process's own queue is taken first, as far as there
    /// are descriptors; who waits in another's, such as systemd's, is left to the next process that takes from it.
    public func stop() {
        rest?.cancel()
        if let watch { loop.unwatch(watch) }
        watch = nil
        // It cannot go back into the queue, and needs one of the reserved descriptors for a moment at most.
        if let waiting = held.take() { onConnection(waiting) }
        if listener.endQueue() { takeAll() }
    }

    private func takeAll() {
        while true {
            do throws(SystemError) {
                guard let connection = try listener.accept() else { return }
                try take(connection)
            } catch {
                held = nil
                if !error.isOneConnectionsOwn { return }
            }
        }
    }

    /// Ends a rest in the loop's next turn: a descriptor is about to be closed.
    public func descriptorFreed() {
        guard let rest, rest.isArmed else { return }
        rest.arm(after: .zero)
    }

    public func ready(_ readiness: Readiness) {
        for _ in 0..<Self.connectionsPerTurn where watch != nil {
            do throws(SystemError) {
                guard let connection = try listener.accept() else { return }
                try take(connection)
            } catch {
                if error.isShortage { return rest(because: error) }
                if !error.isOneConnectionsOwn { return fail(error) }
            }
        }
    }

    private func take(_ connection: consuming Descriptor) throws(SystemError) {
        guard connection.number < limit else {
            held = consume connection
            throw SystemError(call: "accept4", number: EMFILE)
        }
        onConnection(connection)
    }

    private func rest(because error: SystemError) {
        guard let watch else { return }
        loop.change(watch, to: [])
        rest?.arm(after: Self.pause)
        let now = loop.nowNanoseconds
        let isNew = lastShortage.map { .nanoseconds(now - $0) >= Self.calm } ?? true
        lastShortage = now
        onShortage(error, isNew)
    }

    private func resume() {
        guard let watch else { return }
        do throws(SystemError) {
            if let waiting = held.take() { try take(waiting.renumbered()) }
            loop.change(watch, to: .read)
        } catch {
            rest(because: error)
        }
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
