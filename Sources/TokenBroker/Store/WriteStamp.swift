/// Which run of the host's kernel it is (`/proc/sys/kernel/random/boot_id`): boot instants compare only within one.
public struct BootID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}

/// When a row was written, and during which boot.
///
/// In the same boot both of a row's clocks count. In another one only the calendar clock is left, and it is not believed
/// while it is behind the newest write in the store (``RestoredState/newestWrite``).
public struct WriteStamp: Hashable, Sendable {
    public let bootID: BootID
    public let writtenAt: WallInstant

    public init(bootID: BootID, writtenAt: WallInstant) {
        self.bootID = bootID
        self.writtenAt = writtenAt
    }
}

/// A value out of the store, with the stamp that the store gave it.
public struct Stamped<Value: Sendable>: Sendable {
    public let value: Value
    public let stamp: WriteStamp

    public init(_ value: Value, _ stamp: WriteStamp) {
        self.value = value
        self.stamp = stamp
    }
}

extension Stamped: Equatable where Value: Equatable {}
