internal import CLinux

/// What a handler wants to be told of.
///
/// With an empty interest only a full hang-up or an error is told, and only once (the kernel reports those two whatever
/// is asked for): right for a connection that waits for an answer to send.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or to accept.
    public static let read = Interest(rawValue: 1)
    /// There is room to write.
    public static let write = Interest(rawValue: 2)
    /// The peer has finished writing; it may still read. Told again every turn for as long as it is asked for.
    public static let peerClosed = Interest(rawValue: 4)
}

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)
    /// The peer has finished writing; it may still read.
    public static let peerClosed = Readiness(rawValue: 4)
    /// Both directions are over: a Unix-socket peer has closed or died.
    public static let hungUp = Readiness(rawValue: 8)
    /// The descriptor has an error waiting; the next read or write returns it.
    public static let failed = Readiness(rawValue: 16)
}

/// One descriptor's registration with a loop.
///
/// The generation tells it from an earlier registration of the same number: descriptors are reused the moment they are
/// closed, and an event already fetched for the old one must not reach the new one.
public struct Watch: Equatable, Sendable {
    let descriptor: Int32
    let generation: UInt32
}

/// Whoever wants to know when a descriptor is ready. Always called on the loop's thread.
public protocol ReadinessHandler: AnyObject {
    /// Called once a turn while the descriptor is ready for something that was asked for.
    func ready(_ readiness: Readiness)
}

extension Watch {
    /// The 64 bits the kernel gives back with an event.
    var key: UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    init(key: UInt64) {
        descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: key))
        generation = UInt32(key >> 32)
    }
}

extension Interest {
    /// The kernel's mask. Level-triggered, see `EventLoop`; edge-triggered only when nothing is asked for, so that a
    /// hang-up, which cannot be masked, is not repeated for ever.
    var events: UInt32 {
        if isEmpty { return EPOLLET.rawValue }
        var events: UInt32 = 0
        if contains(.read) { events |= EPOLLIN.rawValue }
        if contains(.write) { events |= EPOLLOUT.rawValue }
        if contains(.peerClosed) { events |= EPOLLRDHUP.rawValue }
        return events
    }
}

extension Readiness {
    init(events: UInt32) {
        self = []
        if events & EPOLLIN.rawValue != 0 { insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { insert(.writable) }
        if events & EPOLLRDHUP.rawValue != 0 { insert(.peerClosed) }
        if events & EPOLLHUP.rawValue != 0 { insert(.hungUp) }
        if events & EPOLLERR.rawValue != 0 { insert(.failed) }
    }
}
