/// The registered devices, by their ids and by their keys, and in the order in which they were last seen.
struct DeviceTable {
    /// How many are held at once; beyond that the one that was not seen for longest goes, and registers anew where it comes
    /// back. An app that is installed anew is a new device, so that they would become ever more.
    static let capacity = 250_000

    enum Advance {
        case advanced(Device)
        /// It was revoked, or made room for another one, since it was looked up.
        case gone
        /// Another proof with this counter or a later one was taken meanwhile.
        case outpaced
    }

    private let capacity: Int
    private var devices: [DeviceID: Device] = [:]
    private var idsByKey: [[UInt8]: DeviceID] = [:]
    private var recency = RecencyList<DeviceID>()

    init(capacity: Int = Self.capacity) {
        self.capacity = capacity
    }

    var count: Int { devices.count }
    var all: [Device] { Array(devices.values) }

    subscript(id: DeviceID) -> Device? { devices[id] }

    func device(withKey keyID: [UInt8]) -> Device? {
        idsByKey[keyID].flatMap { devices[$0] }
    }

    /// Takes a device in.
    ///
    /// - Returns: the device that made room for it.
    mutating func add(_ device: Device) -> Device? {
        devices[device.id] = device
        idsByKey[device.key.keyID] = device.id
        recency.use(device.id)
        guard devices.count > capacity, let oldest = recency.oldest else { return nil }
        return remove(oldest)
    }

    /// Takes a proof's counter, where none as great was taken before: of two proofs that race with one counter only one
    /// finds the counter below its own.
    mutating func advance(_ id: DeviceID, to counter: UInt32, at now: WallInstant) -> Advance {
        guard var device = devices[id] else { return .gone }
        guard counter > device.counter else { return .outpaced }
        device.counter = counter
        device.lastSeenAt = max(device.lastSeenAt, now)
        devices[id] = device
        recency.use(id)
        return .advanced(device)
    }

    mutating func remove(_ id: DeviceID) -> Device? {
        guard let device = devices.removeValue(forKey: id) else { return nil }
        idsByKey[device.key.keyID] = nil
        recency.remove(id)
        return device
    }
}
