internal import EventLoop
internal import HTTPWire
internal import Logging
internal import TokenBroker

/// The connections of one socket: accepts them, knows who each is from before a byte is read, and ends them.
///
/// `@unchecked Sendable`: everything but ``loop`` is used on the loop's thread only. What other threads hold is this
/// reference, to post work that needs it.
final class Server: @unchecked Sendable {
    let loop: EventLoop
    let handler: any RequestHandler
    /// One read at a time happens on a loop, so that all connections share its buffer.
    let readBuffer: UnsafeMutableRawBufferPointer
    private(set) var isDraining = false
    let metrics: SocketMetrics
    private let logger: Logger
    private let onFailure: @Sendable () -> Void
    private var acceptor: Acceptor?
    private(set) var connections: [ConnectionID: Connection] = [:]
    var quota: ConnectionQuota
    private var lastConnection: UInt64 = 0
    /// Until when, in boot nanoseconds, nobody looks for idle connections again, because there were none.
    private var nobodyIdleUntil: Int64 = .min
    private var onDrained: (() -> Void)?

    /// - Parameters:
    ///   - metrics: what is counted of it; logs call the socket as these do.
    ///   - onFailure: the socket is dead; the process should end.
    init(
        _ metrics: SocketMetrics,
        loop: EventLoop,
        handler: any RequestHandler,
        logger: Logger,
        connectionsPerUID: Int,
        onFailure: @escaping @Sendable () -> Void
    ) {
        self.metrics = metrics
        self.loop = loop
        self.handler = handler
        self.logger = logger
        quota = ConnectionQuota(perUID: connectionsPerUID)
        self.onFailure = onFailure
        readBuffer = .allocate(byteCount: ServingLimits.readBytes, alignment: 64)
    }

    deinit {
        readBuffer.deallocate()
    }

    /// How many idle connections at most make room for new ones in one shortage of descriptors.
    private static let mostEndedAtOnce = 64

    private static let searchPauseNanoseconds: Int64 = 100_000_000

    /// Descriptors kept for the admin socket, the store and the providers' connections.
    private static let reservedDescriptors: Int32 = 32

    func start(on listener: any Listener, reservesDescriptors: Bool) throws(SystemError) {
        acceptor = try Acceptor(
            loop: loop,
            listener: listener,
            limit: Acceptor.limit(reserving: reservesDescriptors ? Self.reservedDescriptors : 0),
            onConnection: { [unowned self] in accept($0) },
            onShortage: { [unowned self] error, isNew in
                if isNew {
                    logger.warning(
                        "Out of descriptors, accepting pauses",
                        [.socket: LogValue(stringLiteral: metrics.socket), .errorDetail: .string(error.description)]
                    )
                }
                makeRoom()
            },
            onFailure: { [unowned self] error in
                logger.error(
                    "the socket failed",
                    [.socket: LogValue(stringLiteral: metrics.socket), .errorDetail: .string(error.description)]
                )
                onFailure()
            }
        )
    }

    /// Stops accepting and ends every connection as soon as its present request is answered.
    func drain(_ onDrained: @escaping () -> Void) {
        isDraining = true
        acceptor?.stop()
        self.onDrained = onDrained
        for connection in connections.values { connection.drain() }
        reportDrained()
    }

    func resolve(_ connection: ConnectionID, _ request: UInt64, _ resolution: Resolution) {
        connections[connection]?.resolve(request, resolution)
    }

    func forget(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        metrics.connections -= 1
        quota.remove(connection.id, of: connection.peer.uid)
        if !isDraining { acceptor?.descriptorFreed() }
        reportDrained()
    }

    /// Ends some idle connections of the user who has the most of them, the oldest first: whoever used up the
    /// descriptors pays, and an eighth is enough, because the next shortage ends more.
    private func makeRoom() {
        guard loop.nowNanoseconds >= nobodyIdleUntil else { return }
        let idle = Dictionary(grouping: connections.values.filter(\.isIdle), by: \.peer.uid)
        guard let most = idle.values.max(by: { $0.count < $1.count }) else {
            // Clients that come and go at the limit would have all connections looked through at each arrival.
            nobodyIdleUntil = loop.nowNanoseconds + Self.searchPauseNanoseconds
            return
        }
        let oldest = most.sorted { $0.id.number < $1.id.number }
        for connection in oldest.prefix(min((most.count + 7) / 8, Self.mostEndedAtOnce)) { connection.close() }
    }

    /// There is a new definition: other users may be named in it.
    func definitionChanged(connectionsPerUID: Int) {
        quota.perUID = connectionsPerUID
        for id in quota.strangers where connections[id].map({ handler.names($0.peer) }) ?? false {
            quota.isNoStranger(id)
        }
        endUnseen()
    }

    /// Ends idle connections whose process was not looked at, where grants look at it by now: a client that connects
    /// again is.
    private func endUnseen() {
        guard handler.looksAtProcesses else { return }
        for connection in connections.values where connection.peer.process == nil && connection.isIdle {
            connection.close()
        }
    }

    private func reportDrained() {
        guard isDraining, connections.isEmpty else { return }
        onDrained?()
        onDrained = nil
    }

    private func accept(_ descriptor: consuming Descriptor) {
        do throws(SystemError) {
            let credentials = try PeerCredentials(of: descriptor)
            let isFull = quota.isFull(credentials.uid)
            let process = handler.looksAtProcesses && !isFull ? PinnedProcess(of: descriptor, credentials) : nil
            let peer = Peer(credentials, process: process)
            guard let place = quota.place(for: peer.uid, isNamed: !isFull && handler.names(peer)) else { return }
            lastConnection += 1
            let id = ConnectionID(number: lastConnection)
            let connection = try Connection(id, peer, descriptor, server: self)
            connections[id] = connection
            metrics.connections += 1
            quota.add(id, of: peer.uid, at: place)
            if case .turnedAway(let problem) = place {
                connection.refuse(problem)
            } else {
                // Its request has mostly come with it: this saves the loop a turn.
                connection.ready(.readable)
            }
        } catch {
            logger.debug(
                "Connection given up",
                [.socket: LogValue(stringLiteral: metrics.socket), .errorDetail: .string(error.description)]
            )
        }
    }
}
