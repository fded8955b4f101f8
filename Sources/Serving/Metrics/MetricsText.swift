/// Writes metrics as OpenMetrics 1.0 text.
///
/// A family is declared once and its samples follow it at once, as the format demands. What the format says of names
/// and units are the programmer's to keep: they trap here and not at the scraper.
///
/// https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
struct MetricsText {
    enum Kind: String {
        case gauge
        case counter
        case histogram
        case info
        case stateset

        /// What the names of samples end in, behind the family's.
        fileprivate var suffix: StaticString {
            switch self {
            case .gauge, .stateset, .histogram: ""
            case .counter: "_total"
            case .info: "_info"
            }
        }
    }

    typealias Labels = KeyValuePairs<StaticString, String>

    private var text: [UInt8] = []
    private var families: Set<String> = []
    private var current: (name: String, kind: Kind) = ("", .gauge)

    /// The whole exposition.
    var document: [UInt8] { text + Array("# EOF\n".utf8) }

    /// Begins a family.
    ///
    /// - Parameters:
    ///   - name: without the suffix of its kind.
    ///   - unit: a base unit, which the name has to end in.
    mutating func family(_ name: StaticString, _ kind: Kind, unit: StaticString? = nil, _ help: StaticString) {
        let name = "\(name)"
        precondition(families.insert(name).inserted, "\(name): a family is in one piece")
        if let unit { precondition(name.hasSuffix("_\(unit)"), "\(name): the name ends in its unit") }
        current = (name, kind)
        text += "# TYPE \(name) \(kind.rawValue)\n".utf8
        if let unit { text += "# UNIT \(name) \(unit)\n".utf8 }
        text += "# HELP \(name) ".utf8
        appendEscaped("\(help)")
        text.append(UInt8(ascii: "\n"))
    }

    /// Adds a sample to the family that was begun last.
    mutating func sample(_ labels: Labels, _ value: MetricValue) {
        line(current.kind.suffix, labels, value)
    }

    /// Adds the only sample of the family that was begun last.
    mutating func sample(_ value: MetricValue) {
        sample([:], value)
    }

    /// Adds a histogram's samples to the family that was begun last.
    mutating func sample(_ labels: Labels, _ histogram: LatencyHistogram) {
        precondition(current.kind == .histogram, "\(current.name): not a histogram")
        var count: UInt64 = 0
        for (bound, inBucket) in zip(LatencyHistogram.bounds, histogram.buckets) {
            count &+= inBucket
            line("_bucket", labels, MetricValue(count), ("le", bound.label))
        }
        line("_count", labels, MetricValue(count))
        line("_sum", labels, MetricValue(nanoseconds: Int64(clamping: histogram.nanoseconds)))
    }

    private mutating func line(
        _ suffix: StaticString,
        _ labels: Labels,
        _ value: MetricValue,
        _ last: (name: StaticString, value: String)? = nil
    ) {
        text += current.name.utf8
        append(suffix)
        var separator = UInt8(ascii: "{")
        for (name, value) in labels { appendLabel(name, value, &separator) }
        if let last { appendLabel(last.name, last.value, &separator) }
        if separator == UInt8(ascii: ",") { text.append(UInt8(ascii: "}")) }
        text.append(UInt8(ascii: " "))
        text += value.text.utf8
        text.append(UInt8(ascii: "\n"))
    }

    private mutating func appendLabel(_ name: StaticString, _ value: String, _ separator: inout UInt8) {
        text.append(separator)
        separator = UInt8(ascii: ",")
        append(name)
        append("=\"")
        appendEscaped(value)
        append("\"")
    }

    private mutating func append(_ constant: StaticString) {
        text += UnsafeBufferPointer(start: constant.utf8Start, count: constant.utf8CodeUnitCount)
    }

    /// A backslash, a quotation mark and a line feed have escapes of their own; everything else stands as it is.
    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\n"): append("\\n")
            default: text.append(byte)
            }
        }
    }
}

/// A sample's number, in digits: nothing is rounded on the way.
struct MetricValue: Equatable {
    let text: String

    init(_ number: some FixedWidthInteger) {
        text = String(number)
    }

    init(_ isSo: Bool) {
        text = isSo ? "1" : "0"
    }

    /// Seconds, with as many decimals as there are.
    init(nanoseconds: Int64) {
        self.init(nanoseconds, perSecond: 1_000_000_000, decimals: 9)
    }

    /// Seconds, with as many decimals as there are.
    init(milliseconds: Int64) {
        self.init(milliseconds, perSecond: 1000, decimals: 3)
    }

    private init(_ count: Int64, perSecond: UInt64, decimals: Int) {
        let (seconds, rest) = count.magnitude.quotientAndRemainder(dividingBy: perSecond)
        var text = (count < 0 ? "-" : "") + String(seconds)
        if rest > 0 {
            let digits = String(rest)
            text += "." + String(repeating: "0", count: decimals - digits.count) + digits
            while text.last == "0" { text.removeLast() }
        }
        self.text = text
    }
}
