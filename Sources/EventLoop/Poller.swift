internal import CLinux
internal import Glibc

/// The kernel's side of the loop: one epoll instance and the room its events are fetched into.
struct Poller: ~Copyable {
    /// Events fetched at a time: enough that a busy turn costs one system call, 3 KB of memory.
    private static let capacity = 256

    private let epoll: Descriptor
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)

    init() throws(SystemError) {
        epoll = try Descriptor("epoll_create1") { linux_epoll_create() }
    }

    deinit {
        events.deallocate()
    }

    func add(_ watch: Watch, _ interest: Interest) throws(SystemError) {
        _ = try checked("epoll_ctl") { linux_epoll_add(epoll.number, watch.descriptor, interest.events, watch.key) }
    }

    /// Changes a registration, which takes no memory in the kernel and so fails only by our own fault.
    func change(_ watch: Watch, to interest: Interest) {
        let result = linux_epoll_modify(epoll.number, watch.descriptor, interest.events, watch.key)
        precondition(result == 0, "a watched descriptor was closed")
    }

    func remove(_ watch: Watch) {
        let result = linux_epoll_remove(epoll.number, watch.descriptor)
        precondition(result == 0, "a watched descriptor was closed")
    }

    /// Fetches what is ready.
    ///
    /// - Parameter blocking: Whether to wait until something is.
    /// - Returns: How many events there are to read with `event(at:)`; none when a signal came in between.
    func wait(blocking: Bool) -> Int {
        let count = linux_epoll_wait(epoll.number, events, Int32(Self.capacity), blocking ? -1 : 0)
        let number = errno
        precondition(count >= 0 || number == EINTR, "epoll_wait fails only by our own fault")
        return max(0, Int(count))
    }

    func event(at index: Int) -> (watch: Watch, readiness: Readiness) {
        (Watch(key: events[index].data.u64), Readiness(events: events[index].events))
    }
}
