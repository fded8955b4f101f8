extension Duration {
    /// The units of the notation, largest first.
    private static let units: [(letter: Character, seconds: Int64)] = [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)]

    /// Reads a duration as configuration and command line write it: `30s`, `5m`, `1h30m`, `30d`.
    ///
    /// - Returns: nil when `text` is anything else: no unit, a unit twice or out of order, a sign, a fraction, or more
    ///   seconds than a number holds.
    public init?(configurationText text: some StringProtocol) {
        guard !text.isEmpty else { return nil }
        var rest = text[...]
        var total: Int64 = 0
        var units = Self.units[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let count = Int64(digits), let letter = rest.popFirst(),
                let unit = units.firstIndex(where: { $0.letter == letter })
            else { return nil }
            let (seconds, productOverflows) = count.multipliedReportingOverflow(by: units[unit].seconds)
            let (sum, sumOverflows) = total.addingReportingOverflow(seconds)
            guard !productOverflows, !sumOverflows else { return nil }
            total = sum
            units = units[(unit + 1)...]
        }
        self = .seconds(total)
    }

    /// The same notation, for an error that names a bound; whole seconds.
    var configurationText: String {
        var rest = components.seconds
        let parts = Self.units.compactMap { unit -> String? in
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.seconds)
            rest = remainder
            return count == 0 ? nil : "\(count)\(unit.letter)"
        }
        return parts.isEmpty ? "0s" : parts.joined()
    }
}
