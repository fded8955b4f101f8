/// What a route asks of the device behind a request, from the most lenient to the strictest.
public enum DeviceMode: String, CaseIterable, Sendable {
    /// Nothing.
    case off
    /// A proof is looked at and what is found is told; every request is served.
    case monitor
    /// Only a request with a device's proof is served.
    case enforce
}

extension DeviceMode: Comparable {
    public static func < (lhs: DeviceMode, rhs: DeviceMode) -> Bool {
        lhs.strictness < rhs.strictness
    }

    private var strictness: Int {
        switch self {
        case .off: 0
        case .monitor: 1
        case .enforce: 2
        }
    }
}
