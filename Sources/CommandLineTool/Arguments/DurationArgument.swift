/// A length of time as it is typed: `90`, `60s`, `5m`, `1h30m`, `30d`.
struct DurationArgument: Equatable, Sendable {
    let seconds: Int

    private static let units: [(letter: Character, seconds: Int)] = [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)]

    /// - Returns: nil where `text` is not whole numbers with units, each unit once, the longest first; a number alone
    ///   is seconds.
    init?(_ text: String) {
        var total = 0
        var rest = text[...]
        var units = Self.units[...]
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            let factor: Int
            if let letter = rest.popFirst() {
                guard let index = units.firstIndex(where: { $0.letter == letter }) else { return nil }
                factor = units[index].seconds
                units = units[(index + 1)...]
            } else {
                guard digits.count == text.count else { return nil }
                factor = 1
            }
            let (product, productOverflows) = number.multipliedReportingOverflow(by: factor)
            let (sum, sumOverflows) = total.addingReportingOverflow(product)
            guard !productOverflows, !sumOverflows else { return nil }
            total = sum
        } while !rest.isEmpty
        seconds = total
    }
}
