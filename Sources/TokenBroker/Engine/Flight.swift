/// One mint that everyone who needs the token shares. It belongs to no caller: who hangs up takes nothing with him.
struct Flight {
    /// Why the mint was started.
    enum Purpose {
        /// Nothing valid is held, or it is due for its refresh.
        case renewal
        /// The token held is to be replaced whatever it has left.
        case forced
    }

    let id: FlightID
    let purpose: Purpose
    /// When the flight ends, whatever the provider does.
    let deadline: BootInstant
    /// Callers who take the token that is held when the mint fails.
    var waiters: Set<WaiterID> = []
    /// Callers who want another token than the one held, or the reason why there is none; those who report a refused
    /// token with its text.
    var insisters: [WaiterID: TokenText?] = [:]
    /// False while the flight waits for one of its provider's places.
    var isRunning = false
    /// Whether the account's settings or its key changed while the provider is asked.
    var isOutdated = false
    /// The token that came, while the store takes it in: it is served only when a restart would serve it again.
    var landing: ServedToken? {
        get { landed?.token }
        set { landed = newValue.map(Landed.init) }
    }
    private var landed: Landed?
    /// The failure that came with a pause, while the store takes that in: it is told only when a restart would wait the
    /// pause out too.
    var setback: Setback?

    /// Whether the mint is over, and only the store is waited for.
    var isEnding: Bool { landed != nil || setback != nil }

    /// Outside of the flight, for which every entry of the cache has the room.
    private final class Landed: Sendable {
        let token: ServedToken

        init(_ token: ServedToken) {
            self.token = token
        }
    }

    init(id: FlightID, purpose: Purpose, deadline: BootInstant) {
        self.id = id
        self.purpose = purpose
        self.deadline = deadline
    }
}

/// Tells a flight's own result from that of one that was given up.
public struct FlightID: Hashable, Sendable {
    let number: UInt64
}

/// A caller that is waiting for an answer.
public struct WaiterID: Hashable, Sendable {
    let number: UInt64
}

/// What a caller gets.
public enum TokenAnswer: Sendable {
    /// `isDegraded`: the last attempt to refresh failed, and this still valid token is served on.
    case served(ServedToken, isDegraded: Bool)
    /// `retryAfter`: seconds until the next attempt, where waiting helps.
    case failed(MintFailure, retryAfter: Int64?)
    /// The budget of mints that callers can force is spent.
    case tooManyRejections(retryAfter: Int64)
    /// The credential reported as refused is the long-lived key, and the provider takes it.
    case notStale
    /// The name, or what it stands for, went away while the caller waited.
    case withdrawn
}
