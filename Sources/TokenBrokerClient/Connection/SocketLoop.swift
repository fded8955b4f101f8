internal import HTTPWire

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// What the socket thread does: waits for all connections at once by `poll`, and for orders.
///
/// Nothing in it ever waits for one connection, so a long poll costs a descriptor and no thread.
struct SocketLoop {
    /// Connections that are kept for the next exchange. Callers who share a fetch need one; more only spare a burst of
    /// others the making of a local connection.
    private static let mostIdle = 4
    private static let bufferSize = 16 * 1024

    private let path: String
    private let mailbox: SocketMailbox
    private var connections: [SocketConnection] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 1)

    init(path: String, mailbox: SocketMailbox) {
        self.path = path
        self.mailbox = mailbox
    }

    /// Runs until it is told to stop.
    mutating func run() {
        defer { buffer.deallocate() }
        while true {
            for connection in readyConnections() { proceed(connection) }
            for order in mailbox.take() {
                switch order {
                case .begin(let exchange): begin(exchange)
                case .giveUp(let answer): connections.removeAll { $0.exchange?.answer === answer }
                case .stop: return
                }
            }
        }
    }

    private func readyConnections() -> [SocketConnection] {
        var entries = [pollfd(fd: mailbox.descriptor.number, events: Int16(POLLIN), revents: 0)]
        entries += connections.map {
            let events = $0.wantsToSend ? POLLIN | POLLOUT : POLLIN
            return pollfd(fd: $0.descriptor.number, events: Int16(events), revents: 0)
        }
        // Of an interrupted or failed call no entry has anything to say, and the next turn asks again.
        guard poll(&entries, nfds_t(entries.count), -1) > 0 else { return [] }
        return zip(connections, entries.dropFirst()).filter { $1.revents != 0 }.map(\.0)
    }

    private mutating func begin(_ exchange: PendingExchange) {
        // Its caller may have left before the thread came to it.
        if exchange.answer.isClosed { return }
        if let idle = connections.last(where: \.isIdle) {
            begin(exchange, on: idle)
        } else {
            beginAnew(exchange)
        }
    }

    private mutating func beginAnew(_ exchange: PendingExchange) {
        do throws(TransportFailure) {
            let connection = SocketConnection(try Descriptor.connected(to: path))
            connections.append(connection)
            begin(exchange, on: connection)
        } catch {
            exchange.fail(error)
        }
    }

    private mutating func begin(_ exchange: PendingExchange, on connection: SocketConnection) {
        connection.begin(exchange)
        proceed(connection)
    }

    private mutating func proceed(_ connection: SocketConnection) {
        switch connection.proceed(buffer) {
        case .waiting: break
        case .answered(let response):
            let exchange = connection.exchange
            connection.end(keeping: connections.count(where: \.isIdle) < Self.mostIdle)
            if !connection.isIdle { drop(connection) }
            exchange?.answer.close(with: .success(response))
        case .failed(let failure):
            drop(connection)
            guard let exchange = connection.exchange else { return }
            // A broker that was restarted has closed the connections that were kept. Every request is safe to repeat.
            if failure == .lost, !connection.isFirst {
                beginAnew(exchange)
            } else {
                exchange.fail(failure)
            }
        }
    }

    private mutating func drop(_ connection: SocketConnection) {
        connections.removeAll { $0 === connection }
    }
}
