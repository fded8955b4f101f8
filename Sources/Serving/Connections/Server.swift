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
    private let name: StaticString
    private let logger: Logger
    private let connectionsPerUID: Int
    private let onFailure: @Sendable () -> Void
    private var acceptor: Acceptor?
    private var connections: [ConnectionID: Connection] = [:]
    private var connectionsOfUID: [UInt32: Int] = [:]
    private var lastConnection: UInt64 = 0
    private var onDrained: (() -> Void)?

    /// - Parameters:
    ///   - name: what logs call the socket.
    ///   - onFailure: the socket is dead; the process should end.
    init(
        _ name: StaticString,
        loop: EventLoop,
        handler: any RequestHandler,
        logger: Logger,
        connectionsPerUID: Int,
        onFailure: @escaping @Sendable () -> Void
    ) {
        self.name = name
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
                    [.socket: LogValue(stringLiteral: name), .errorDetail: .string(error.description)]
                )
            },
            onFailure: { [unowned self] error in
                logger.error(
                    "the socket failed",
                    [.socket: LogValue(stringLiteral: name), .errorDetail: .string(error.description)]
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
        let uid = connection.peer.uid
        let rest = (connectionsOfUID[uid] ?? 1) - 1
        connectionsOfUID[uid] = rest == 0 ? nil : rest
        reportDrained()
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
            guard count < connectionsPerUID else { return turnAway(descriptor) }
            lastConnection += 1
            let id = ConnectionID(number: lastConnection)
            connections[id] = try Connection(id, Peer(credentials), descriptor, server: self)
            connectionsOfUID[credentials.uid] = count + 1
        } catch {
            logger.debug(
                "Connection given up",
                [.socket: LogValue(stringLiteral: name), .errorDetail: .string(error.description)]
            )
        }
    }

    private func turnAway(_ descriptor: borrowing Descriptor) {
        let answer = Problem.tooManyConnections.response.encoded(version: .http11, keepsAlive: false)
        _ = answer.withUnsafeBytes { descriptor.send($0) }
    }
}

extension Peer {
    init(_ credentials: PeerCredentials) {
        self.init(
            pid: credentials.pid,
            uid: credentials.uid,
            gid: credentials.gid,
            supplementaryGroups: credentials.groups
        )
    }
}
