/// How many answers took how long. Counting is an addition or two; the sums are made when somebody reads them.
struct LatencyHistogram {
    struct Bound: Sendable {
        let nanoseconds: Int64
        /// In seconds, spelt as OpenMetrics wants a bound.
        let label: String
    }

    /// From an answer that did not wait to the longest wait that `limits.wait_max` allows by default.
    static let bounds = [
        Bound(nanoseconds: 1_000_000, label: "0.001"),
        Bound(nanoseconds: 10_000_000, label: "0.01"),
        Bound(nanoseconds: 50_000_000, label: "0.05"),
        Bound(nanoseconds: 100_000_000, label: "0.1"),
        Bound(nanoseconds: 250_000_000, label: "0.25"),
        Bound(nanoseconds: 500_000_000, label: "0.5"),
        Bound(nanoseconds: 1_000_000_000, label: "1.0"),
        Bound(nanoseconds: 2_500_000_000, label: "2.5"),
        Bound(nanoseconds: 5_000_000_000, label: "5.0"),
        Bound(nanoseconds: 10_000_000_000, label: "10.0"),
        Bound(nanoseconds: 30_000_000_000, label: "30.0"),
        Bound(nanoseconds: 60_000_000_000, label: "60.0"),
        Bound(nanoseconds: 300_000_000_000, label: "300.0"),
        Bound(nanoseconds: .max, label: "+Inf"),
    ]

    /// For each bound, how many were over the one before it and not over this one.
    private(set) var buckets = [UInt64](repeating: 0, count: bounds.count)
    private(set) var nanoseconds: UInt64 = 0

    var count: UInt64 { buckets.reduce(0, &+) }

    /// Counts answers that were there at once.
    mutating func add(immediate count: UInt64) {
        buckets[0] &+= count
    }

    mutating func add(nanoseconds: Int64) {
        let index = Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bounds.count - 1
        buckets[index] &+= 1
        self.nanoseconds &+= UInt64(max(0, nanoseconds))
    }
}
