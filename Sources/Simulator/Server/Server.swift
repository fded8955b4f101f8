internal import EventLoop

/// The listeners and connections of one simulator.
///
/// `@unchecked Sendable`: used on the loop's thread only, which the loop itself checks at every step; what crosses
/// threads is the reference, in work posted to that loop.
final class Server: @unchecked Sendable {
    private let loop: EventLoop
    private let router: Router
    private var acceptors: [Acceptor] = []
    private var connections: [ObjectIdentifier: Connection] = [:]

    init(loop: EventLoop, router: Router) {
        self.loop = loop
        self.router = router
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - port: 0 lets the kernel choose.
    ///   - transport: Makes a connection out of an accepted socket.
    /// - Returns: The port.
    func listen(
        port: UInt16,
        transport: @escaping (consuming Descriptor) -> any Transport
    ) throws(SimulatorError) -> UInt16 {
        do throws(SystemError) {
            let listener = try TCPListener(port: port)
            let acceptor = try Acceptor(
                loop: loop,
                listener: listener,
                onConnection: { [unowned self] in add(transport($0)) },
                onShortage: { _, _ in },
                onFailure: { fatalError("a listener died: \($0)") }
            )
            acceptors.append(acceptor)
            return listener.port
        } catch {
            throw SimulatorError("cannot listen on 127.0.0.1:\(port): \(error)")
        }
    }

    /// Stops listening and drops every connection.
    func close() {
        for acceptor in acceptors { acceptor.stop() }
        for connection in connections.values { connection.close() }
    }

    private func add(_ transport: any Transport) {
        // A connection that cannot be watched, for want of kernel memory, is dropped by letting go of it.
        let connection = try? Connection(transport, loop: loop, router: router) { [unowned self] in
            connections[ObjectIdentifier($0)] = nil
        }
        if let connection { connections[ObjectIdentifier(connection)] = connection }
    }
}
