/// What a provider said about the end of a token, in the unit it said it in.
public enum StatedExpiry: Hashable, Sendable {
    /// A date by the provider's clock.
    case at(WallInstant)
    /// A lifetime counted from the request.
    case after(Duration)
    /// Nothing, or null.
    case unstated
    /// It has no end: the credential is a long-lived key.
    case never
}

extension WallInstant {
    /// Reads Unix seconds: an integer, a fraction or an exponent, as in `1775464738`, `1.775464738e9`, `1775464738.5`.
    ///
    /// - Returns: nil when `text` is not a decimal number; a value outside the clock's range saturates.
    public init?(unixSeconds text: some StringProtocol) {
        guard let milliseconds = DecimalNumber(text)?.scaled(byPowerOfTen: 3) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// Reads Unix milliseconds, in the same forms.
    public init?(unixMilliseconds text: some StringProtocol) {
        guard let milliseconds = DecimalNumber(text)?.scaled(byPowerOfTen: 0) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension Duration {
    /// Reads a lifetime in seconds, as in `3600`, `3600.0`, `3.6e3`; finer than a millisecond is rounded down.
    ///
    /// - Returns: nil when `text` is not a decimal number; a value outside the range saturates.
    public init?(seconds text: some StringProtocol) {
        guard let milliseconds = DecimalNumber(text)?.scaled(byPowerOfTen: 3) else { return nil }
        self = .milliseconds(milliseconds)
    }
}

/// A decimal number as JSON and headers write it, kept as digits: reading it as a `Double` would lose digits past 2^53,
/// and converting that to an integer traps on what does not fit.
private struct DecimalNumber {
    /// More digits than any `Int64` has say nothing more about the value than its magnitude.
    private static let significantDigits = 40

    private var isNegative = false
    private var digits: [UInt8] = []
    /// How many of the digits stand before the decimal point; negative for leading zeros behind it.
    private var pointPosition: Int64 = 0

    init?(_ text: some StringProtocol) {
        var rest = text.utf8[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let whole = Self.takeDigits(&rest)
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = Self.takeDigits(&rest)
            guard !fraction.isEmpty else { return nil }
        }
        guard !whole.isEmpty else { return nil }
        pointPosition = Int64(whole.count)
        if let letter = rest.first, letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") {
            rest.removeFirst()
            let exponentIsNegative = rest.first == UInt8(ascii: "-")
            if exponentIsNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            let exponentDigits = Self.takeDigits(&rest)
            guard !exponentDigits.isEmpty else { return nil }
            let exponent = Self.value(of: exponentDigits)
            pointPosition = pointPosition.addingSaturated(exponentIsNegative ? -exponent : exponent)
        }
        guard rest.isEmpty else { return nil }
        let all = whole + fraction
        let leadingZeros = all.prefix { $0 == 0 }.count
        digits = Array(all.dropFirst(leadingZeros))
        pointPosition = pointPosition.subtractingSaturated(Int64(leadingZeros))
    }

    /// The value times ten to `power`, rounded down to a whole number and saturated.
    func scaled(byPowerOfTen power: Int64) -> Int64 {
        guard !digits.isEmpty else { return 0 }
        let wholeDigits = pointPosition.addingSaturated(power)
        guard wholeDigits <= Int64(Self.significantDigits) else { return isNegative ? .min : .max }
        guard wholeDigits > 0 else { return isNegative ? -1 : 0 }
        let kept = digits.prefix(Int(wholeDigits))
        let padding = Int(wholeDigits) - kept.count
        let magnitude = Self.value(of: kept + Array(repeating: 0, count: padding))
        guard isNegative else { return magnitude }
        let hasFraction = digits.dropFirst(Int(wholeDigits)).contains { $0 != 0 }
        return (-magnitude).subtractingSaturated(hasFraction ? 1 : 0)
    }

    private static func takeDigits<Text: Collection<UInt8>>(_ rest: inout Text) -> [UInt8]
    where Text.SubSequence == Text {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.map { $0 - UInt8(ascii: "0") }
    }

    private static func value(of digits: some Collection<UInt8>) -> Int64 {
        digits.reduce(0) { $0.multipliedSaturated(by: 10).addingSaturated(Int64($1)) }
    }
}
