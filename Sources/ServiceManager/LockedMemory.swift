internal import Glibc
internal import Synchronization
public import TokenBroker

/// Memory for secrets: kept out of swap where the limits allow it, and out of dumps and children always.
///
/// One range of addresses is reserved at the start, and taken into use in chunks. What is freed is handed out again for
/// the same size, so that a secret never shares its place with anything else.
public final class LockedMemory: SecretMemory {
    /// How much there is, in bytes.
    public struct Usage: Equatable, Sendable {
        public var locked = 0
        /// What the limit for locked memory (`LimitMEMLOCK=`) left out: it may be written to swap.
        public var unlocked = 0
    }

    /// Addresses, not memory: more than the tokens of `limits.end_users` take.
    static let reservation = 1 << 30
    /// What is taken into use at a time.
    static let chunk = 64 * 1024
    /// Sizes are rounded up to this, so that few sizes differ and little is wasted.
    static let granule = 16
    /// A longer secret, of which there are few, takes whole chunks.
    static let longestSmall = 4096

    private struct State {
        /// The first address that was never handed out, and the first that is not in use yet.
        var next: Int
        var end: Int
        /// The first free place of each size, in granules; each free place holds the address of the next.
        var free: [Int: Int] = [:]
        var usage = Usage()
        /// Whom to tell that some of it is not locked, until that is done.
        var onUnlocked: (@Sendable () -> Void)?

        /// What is to be told now, which is not before the state is unlocked.
        mutating func takeNews() -> (@Sendable () -> Void)? {
            usage.unlocked > 0 ? onUnlocked.take() : nil
        }
    }

    private let base: Int
    private let lock: @Sendable (UnsafeMutableRawPointer, Int) -> Bool
    private let state: Mutex<State>

    /// - Returns: nil where the addresses cannot be had.
    public convenience init?() {
        self.init { mlock($0, $1) == 0 }
    }

    /// - Parameter lock: keeps so many bytes out of swap; whether that was allowed.
    init?(locking lock: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Bool) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let range = mmap(nil, Self.reservation, PROT_NONE, flags, -1, 0), range != MAP_FAILED else { return nil }
        base = Int(bitPattern: range)
        self.lock = lock
        state = Mutex(State(next: base, end: base))
    }

    deinit {
        munmap(UnsafeMutableRawPointer(bitPattern: base), Self.reservation)
    }

    public var usage: Usage { state.withLock { $0.usage } }

    /// Has `tell` called once, when the limits leave out some of it, or at once where they did; by whoever wants memory
    /// then, so that it has to return at once.
    public func onUnlocked(_ tell: @escaping @Sendable () -> Void) {
        let news = state.withLock { state in
            state.onUnlocked = tell
            return state.takeNews()
        }
        news?()
    }

    public func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer? {
        let size = Self.size(of: count)
        let (address, news) = state.withLock { state in
            (takeFree(size, &state) ?? takeNew(size, &state), state.takeNews())
        }
        news?()
        return address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)).map {
            UnsafeMutableRawBufferPointer(start: $0, count: count)
        }
    }

    public func free(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard let start = buffer.baseAddress else { return false }
        let address = Int(bitPattern: start)
        guard (base..<base + Self.reservation).contains(address) else { return false }
        let size = Self.size(of: buffer.count)
        state.withLock { state in
            start.storeBytes(of: state.free[size] ?? 0, as: Int.self)
            state.free[size] = address
        }
        return true
    }

    private static func size(of count: Int) -> Int {
        let unit = count > longestSmall ? chunk : granule
        return (max(count, 1) + unit - 1) / unit * unit
    }

    private func takeFree(_ size: Int, _ state: inout State) -> Int? {
        guard let address = state.free[size], let place = UnsafeMutableRawPointer(bitPattern: address) else {
            return nil
        }
        let next = place.load(as: Int.self)
        state.free[size] = next == 0 ? nil : next
        place.storeBytes(of: 0, as: Int.self)
        return address
    }

    private func takeNew(_ size: Int, _ state: inout State) -> Int? {
        guard state.next + size <= base + Self.reservation else { return nil }
        while state.next + size > state.end {
            guard open(Self.chunk, at: state.end, &state) else { return nil }
        }
        defer { state.next += size }
        return state.next
    }

    private func open(_ length: Int, at address: Int, _ state: inout State) -> Bool {
        guard let start = UnsafeMutableRawPointer(bitPattern: address),
            address + length <= base + Self.reservation,
            mprotect(start, length, PROT_READ | PROT_WRITE) == 0
        else { return false }
        // Whatever becomes of these two, the process as a whole can be neither dumped nor traced by others.
        _ = madvise(start, length, MADV_DONTDUMP)
        _ = madvise(start, length, MADV_WIPEONFORK)
        if lock(start, length) { state.usage.locked += length } else { state.usage.unlocked += length }
        state.end += length
        return true
    }
}
