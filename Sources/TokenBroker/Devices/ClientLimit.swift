/// A limit for each client, and one for all of them together.
///
/// It remembers only clients who have not rested since, and these are never more than the limit for all lets through in
/// that time: whoever is refused takes no room.
public struct ClientLimit<Client: Hashable & Sendable>: Sendable {
    private let each: RateLimit
    private let all: RateLimit
    private var clients: [Client: RateLimit.Usage] = [:]
    private var total = RateLimit.Usage()
    /// How many clients there may be before those who have rested are looked for.
    private var mostBeforeSweep = Self.fewest

    private static var fewest: Int { 64 }

    public init(each: RateLimit, all: RateLimit) {
        self.each = each
        self.all = all
    }

    var clientCount: Int { clients.count }

    /// Counts one more of a client, where it is allowed.
    ///
    /// - Parameter client: nil where nobody can tell one from another: the limit for all is left.
    /// - Returns: how long the client has to wait; nil where it need not.
    public mutating func take(_ client: Client?, at now: BootInstant) -> Duration? {
        var usage = client.flatMap { clients[$0] } ?? RateLimit.Usage()
        let wait = max(client == nil ? .zero : each.wait(usage, at: now), all.wait(total, at: now))
        guard wait == .zero else { return wait }
        all.use(&total, at: now)
        guard let client else { return nil }
        each.use(&usage, at: now)
        clients[client] = usage
        sweep(at: now)
        return nil
    }

    private mutating func sweep(at now: BootInstant) {
        guard clients.count > mostBeforeSweep else { return }
        clients = clients.filter { $0.value.restedAt > now }
        mostBeforeSweep = max(Self.fewest, clients.count * 2)
    }
}
