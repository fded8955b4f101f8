internal import TokenBroker

/// Counts what callers can make happen as often as they like, so that it is written down once at first and then once in a
/// while, with its number.
///
/// Events that are counted together are the same deed with the same outcome: there are few of either, and only who did it
/// and to what is left out where there are too many.
struct AuditTally {
    /// How long alike events are counted together after one was written down.
    static let window: Duration = .seconds(10)
    /// How many windows one user has: names that are no tokens are as many as a caller can think of, and each has one for
    /// each outcome.
    static let windowsPerUser = 32
    /// How many windows there are of users and subjects in all: one who may make user namespaces has thousands of users.
    static let mostWindows = 1024

    /// What was done, and what came of it.
    fileprivate struct Deed: Hashable {
        let kind: AuditEvent.Kind
        let action: String
        let outcome: String
    }

    /// Who did it: nil for one who has no user of this host.
    fileprivate typealias User = UInt32?

    fileprivate enum Key: Hashable {
        case one(Deed, User, subject: String?)
        case restOfUser(Deed, User)
        case rest(Deed)
    }

    private struct Window {
        var end: BootInstant
        /// The last of those that were counted; nil when none was.
        var last: AuditEvent?
        var count = 0
    }

    private var windows: [Key: Window] = [:]
    private var windowsOfUsers: [User: Int] = [:]

    /// When the next window ends.
    var nextEnd: BootInstant? { windows.values.map(\.end).min() }

    /// - Returns: whether the event is to be written down by itself; else it is counted.
    mutating func admits(_ event: AuditEvent, at now: BootInstant) -> Bool {
        guard event.isCallersDoing else { return true }
        let key = key(of: event)
        guard windows[key] == nil else {
            windows[key]?.last = event
            windows[key]?.count += event.count
            return false
        }
        windows[key] = Window(end: now.advanced(by: Self.window))
        if case .one(_, let user, _) = key { windowsOfUsers[user, default: 0] += 1 }
        return true
    }

    private func key(of event: AuditEvent) -> Key {
        let deed = Deed(kind: event.kind, action: event.action, outcome: event.outcome)
        let user = event.actor?.uid
        let own = Key.one(deed, user, subject: event.subject)
        guard windows[own] == nil else { return own }
        guard windows.count < Self.mostWindows else { return .rest(deed) }
        return (windowsOfUsers[user] ?? 0) < Self.windowsPerUser ? own : .restOfUser(deed, user)
    }

    /// What was counted in the windows that have ended. While something goes on happening, its window begins anew.
    mutating func takeEnded(at now: BootInstant) -> [AuditEvent] {
        var events: [AuditEvent] = []
        for (key, window) in windows where window.end <= now {
            if let last = window.last {
                events.append(key.event(window.count, like: last))
                windows[key] = Window(end: now.advanced(by: Self.window))
            } else {
                forget(key)
            }
        }
        return events
    }

    /// What was counted in all windows, which end with this.
    mutating func takeAll() -> [AuditEvent] {
        let events = windows.compactMap { key, window in window.last.map { key.event(window.count, like: $0) } }
        self = AuditTally()
        return events
    }

    private mutating func forget(_ key: Key) {
        windows[key] = nil
        guard case .one(_, let user, _) = key else { return }
        let rest = (windowsOfUsers[user] ?? 1) - 1
        windowsOfUsers[user] = rest == 0 ? nil : rest
    }
}

extension AuditTally.Key {
    /// What stands for all that were counted.
    fileprivate func event(_ count: Int, like last: AuditEvent) -> AuditEvent {
        var (subject, detail, actor) = (last.subject, last.detail, last.actor)
        switch self {
        case .one: break
        case .restOfUser: (subject, detail) = (nil, "several names, counted together")
        case .rest: (subject, detail, actor) = (nil, "several users, counted together", nil)
        }
        return AuditEvent(
            last.kind,
            last.action,
            of: subject,
            outcome: last.outcome,
            detail: detail,
            by: actor,
            count: count
        )
    }
}

extension AuditEvent {
    /// Whether somebody who needs no right for it can make it happen without end.
    fileprivate var isCallersDoing: Bool {
        switch kind {
        case .denial, .monitored: true
        // Without an actor the broker does it by itself.
        case .forcedMint: actor != nil
        case .mint, .secret, .reload, .operation, .device, .gap: false
        }
    }
}
