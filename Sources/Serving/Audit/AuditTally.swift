internal import TokenBroker

/// Counts what callers can make happen as often as they like, so that it is written down once at first and then once in a
/// while, with its number.
struct AuditTally {
    /// How long alike events are counted together after one was written down.
    static let window: Duration = .seconds(10)
    /// How many subjects of one user are told apart: names that are no tokens are as many as a caller can think of.
    static let subjectsPerUser = 16
    /// How many users and subjects are told apart in all: one who may make user namespaces has thousands of users.
    static let mostWindows = 1024

    fileprivate enum Key: Hashable {
        case one(AuditEvent.Kind, uid: UInt32, subject: String?)
        case restOfUser(AuditEvent.Kind, uid: UInt32)
        case rest(AuditEvent.Kind)
    }

    private struct Window {
        var end: BootInstant
        /// The last of those that were counted; nil when none was.
        var last: AuditEvent?
        var count = 0
    }

    private var windows: [Key: Window] = [:]
    private var subjects: [UInt32: Int] = [:]

    /// When the next window ends.
    var nextEnd: BootInstant? { windows.values.map(\.end).min() }

    /// - Returns: whether the event is to be written down by itself; else it is counted.
    mutating func admits(_ event: AuditEvent, at now: BootInstant) -> Bool {
        guard let actor = event.actor, event.isCallersDoing else { return true }
        let key = key(of: event, by: actor.uid)
        guard windows[key] == nil else {
            windows[key]?.last = event
            windows[key]?.count += event.count
            return false
        }
        windows[key] = Window(end: now.advanced(by: Self.window))
        if case .one = key { subjects[actor.uid, default: 0] += 1 }
        return true
    }

    private func key(of event: AuditEvent, by uid: UInt32) -> Key {
        let own = Key.one(event.kind, uid: uid, subject: event.subject)
        guard windows[own] == nil else { return own }
        guard windows.count < Self.mostWindows else { return .rest(event.kind) }
        return (subjects[uid] ?? 0) < Self.subjectsPerUser ? own : .restOfUser(event.kind, uid: uid)
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
        guard case .one(_, let uid, _) = key else { return }
        let rest = (subjects[uid] ?? 1) - 1
        subjects[uid] = rest == 0 ? nil : rest
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
        case .denial, .forcedMint: true
        case .mint, .secret, .reload, .operation, .device, .gap: false
        }
    }
}
