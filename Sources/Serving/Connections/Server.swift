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
    /// How many connections a user may have open; connections that are there stay.
    var connectionsPerUID: Int
    private let onFailure: @Sendable () -> Void
    private var acceptor: Acceptor?
    private(set) var connections: [ConnectionID: Connection] = [:]
    private var connectionsOfUID: [UInt32: Int] = [:]
    /// Connections over their user's limit, which only wait until their client has read why.
    private var turnedAway: Set<ConnectionID> = []
    private var lastConnection: UInt64 = 0
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
        self.connectionsPerUID = connectionsPerUID
        self.onFailure = onFailure
        readBuffer = .allocate(byteCount: ServingLimits.readBytes, alignment: 64)
    }

    deinit {
        readBuffer.deallocate()
    }

    /// How many connections over their user's limit are told so. A client whose connection is closed before it has
    /// sent its request does not read why, so each of them stays for a moment; more than these are closed at once.
    private static let mostTurnedAway = 64

    /// How many idle connections make room for new ones in one shortage of descriptors.
    private static let mostEndedAtOnce = 64

    /// Descriptors kept for the admin socket, the store and the providers' connections.
    private static let reservedDescriptors: Int32 = 32

    func start(on listener: any Listener, reservesDescriptors: Bool) throws(SystemError) {
        acceptor = try Acceptor(
            loop: loop,
            listener: listener,
            limit: Acceptor.limit(reserving: reservesDescriptors ? Self.reservedDescriptors : 0),
            onConnection: { [unowned self] in accept($0) },
            onShortage: { [unowned self] error in
                logger.warning(
                    "Out of descriptors, accepting pauses",
                    [.socket: LogValue(stringLiteral: metrics.socket), .errorDetail: .string(error.description)]
                )
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
        if turnedAway.remove(connection.id) == nil {
            let uid = connection.peer.uid
            let rest = (connectionsOfUID[uid] ?? 1) - 1
            connectionsOfUID[uid] = rest == 0 ? nil : rest
        }
        reportDrained()
    }

    /// Ends idle connections of the user who has the most: whoever used up the descriptors pays, and the oldest first.
    private func makeRoom() {
        guard let uid = connectionsOfUID.max(by: { $0.value < $1.value })?.key else { return }
        let idle = connections.values.filter { $0.peer.uid == uid && $0.isIdle }.sorted { $0.id.number < $1.id.number }
        for connection in idle.prefix(Self.mostEndedAtOnce) { connection.close() }
    }

    /// Ends idle connections whose process was not looked at, where grants look at it by now: a client that connects
    /// again is.
    func endUnseen() {
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
            let count = connectionsOfUID[credentials.uid] ?? 0
            let isAdmitted = count < connectionsPerUID
            guard isAdmitted || turnedAway.count < Self.mostTurnedAway else { return }
            lastConnection += 1
            let id = ConnectionID(number: lastConnection)
            let process = handler.looksAtProcesses && isAdmitted ? PinnedProcess(of: descriptor, credentials) : nil
            let peer = Peer(credentials, process: process)
            let connection = try Connection(id, peer, descriptor, server: self)
            connections[id] = connection
            metrics.connections += 1
            if isAdmitted {
                connectionsOfUID[credentials.uid] = count + 1
            } else {
                turnedAway.insert(id)
                connection.refuse(.tooManyConnections)
            }
        } catch {
            logger.debug(
                "Connection given up",
                [.socket: LogValue(stringLiteral: metrics.socket), .errorDetail: .string(error.description)]
            )
        }
    }
}
