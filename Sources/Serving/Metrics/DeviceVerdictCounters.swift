internal import TokenBroker

/// What a request to a route comes to at the gate, as `X-Device-Verdict` says it.
enum DeviceVerdict: String, CaseIterable {
    /// A registered device made it.
    case verified
    /// It has no proof of a device.
    case missing
    /// Its proof is not taken.
    case failed
}

/// Counts verdicts by route, whether the route's gate enforces or only monitors: all but the verified ones are those that
/// `enforce` turns away. Used on the loop's thread only.
final class DeviceVerdictCounters {
    private var counts: [Name: [DeviceVerdict: UInt64]] = [:]

    func count(_ verdict: DeviceVerdict, at route: Name) {
        counts[route, default: [:]][verdict, default: 0] &+= 1
    }

    /// How often each verdict was given at the route since the process started, with a zero for one that was not.
    func counts(of route: Name) -> [(verdict: DeviceVerdict, count: UInt64)] {
        DeviceVerdict.allCases.map { ($0, counts[route]?[$0] ?? 0) }
    }
}
