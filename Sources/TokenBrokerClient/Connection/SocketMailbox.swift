internal import HTTPWire
internal import Synchronization

/// How tasks tell the socket thread what to do: a queue, and a byte on a socket that wakes the thread.
final class SocketMailbox: Sendable {
    enum Order: Sendable {
        case begin(PendingExchange)
        /// Nobody waits for it any more.
        case giveUp(Delivery<HTTPClientResponse>)
        case stop
    }

    private let orders = Mutex<[Order]>([])
    private let near: Descriptor
    private let far: Descriptor

    init() throws(TransportFailure) {
        (near, far) = try Descriptor.pair()
    }

    /// What the thread waits on beside its connections.
    var descriptor: Descriptor { far }

    func post(_ order: Order) {
        let wasEmpty = orders.withLock { orders in
            orders.append(order)
            return orders.count == 1
        }
        // A byte that finds the socket full is not needed: there are enough to wake the thread.
        if wasEmpty { _ = near.send([1]) }
    }

    /// Takes all orders in the order they came. Called on the thread.
    func take() -> [Order] {
        // The bytes first: one that is sent after this is for an order that is taken here or wakes the thread again.
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while case .bytes = far.receive(into: buffer) {}
        }
        return orders.withLock { orders in
            defer { orders = [] }
            return orders
        }
    }
}
