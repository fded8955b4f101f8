/// A point on the clock that counts while the host is suspended and that nobody can set (`CLOCK_BOOTTIME`).
///
/// Unit: nanoseconds since boot. It says how long ago something was, never what the date is.
public struct BootInstant: Hashable, Comparable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// This instant moved by `duration`; saturates at the ends of the clock.
    public func advanced(by duration: Duration) -> BootInstant {
        BootInstant(nanoseconds: nanoseconds.addingSaturated(duration.saturatedNanoseconds))
    }

    /// The time from `earlier` to this instant; negative when `earlier` is later.
    public func since(_ earlier: BootInstant) -> Duration {
        .nanoseconds(nanoseconds.subtractingSaturated(earlier.nanoseconds))
    }

    var sinceBoot: Duration { .nanoseconds(nanoseconds) }

    public static func < (lhs: BootInstant, rhs: BootInstant) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }
}

/// A date, as the host or a provider tells it (`CLOCK_REALTIME`): it can be set, and it can be wrong.
///
/// Unit: milliseconds since 1970-01-01T00:00:00Z.
public struct WallInstant: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole Unix seconds, rounded down.
    public var unixSeconds: Int64 {
        milliseconds.flooredDivision(by: 1000)
    }

    /// This instant moved by `duration`; saturates at the ends of the clock.
    public func advanced(by duration: Duration) -> WallInstant {
        WallInstant(milliseconds: milliseconds.addingSaturated(duration.saturatedMilliseconds))
    }

    /// The time from `earlier` to this instant; negative when `earlier` is later.
    public func since(_ earlier: WallInstant) -> Duration {
        .milliseconds(milliseconds.subtractingSaturated(earlier.milliseconds))
    }

    public static func < (lhs: WallInstant, rhs: WallInstant) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }
}

/// Both clocks, read together.
public struct Moment: Hashable, Sendable {
    public let boot: BootInstant
    public let wall: WallInstant

    public init(boot: BootInstant, wall: WallInstant) {
        self.boot = boot
        self.wall = wall
    }

    /// How far the calendar clock is ahead of the boot clock, in milliseconds.
    var calendarOffset: Int64 {
        wall.milliseconds.subtractingSaturated(boot.nanoseconds / 1_000_000)
    }

    /// This moment with the date that the calendar clock would have shown then as it is set now: it may have been set in
    /// between.
    func onCalendar(as now: Moment) -> Moment {
        Moment(boot: boot, wall: now.wall.advanced(by: boot.since(now.boot)))
    }

    /// The moment `duration` later if nobody sets the wall clock meanwhile.
    public func advanced(by duration: Duration) -> Moment {
        Moment(boot: boot.advanced(by: duration), wall: wall.advanced(by: duration))
    }
}

/// The port through which the domain learns what time it is.
public protocol HostClock: Sendable {
    func now() -> Moment
}
