/// A number with its digits exactly as they were written; nothing is rounded, and no size is too great to keep.
///
/// Two numbers are equal when they are written alike: `1` and `1.0` differ. Compare ``int64`` for the value.
public struct JSONNumber: Sendable, Equatable {
    /// The number as the document has it, such as `3600`, `3.6e3` or `-0`.
    public let literal: String

    /// The number written in decimal digits.
    public init(_ value: Int64) {
        literal = String(value)
    }

    /// Takes a number as RFC 8259 section 6 writes it, or nil.
    ///
    /// For the answers that put a number into a string (`"expires_in": "3600"`): they follow the same grammar.
    public init?(literal text: String) {
        let bytes = Array(text.utf8)
        guard Self.end(in: bytes, from: 0) == bytes.count else { return nil }
        literal = text
    }

    /// The reader has checked the grammar.
    init(checkedLiteral literal: String) {
        self.literal = literal
    }

    /// The value as an integer, exactly: also for `3600.0` and `3.6e3`; nil where it is not whole or out of range.
    public var int64: Int64? {
        let decimal = Decimal(literal)
        if decimal.digits.isEmpty { return 0 }
        // Nineteen digits hold every Int64, so a longer number need not be multiplied out.
        guard decimal.exponent >= 0, decimal.digits.count <= 19 - min(decimal.exponent, 19) else { return nil }
        // Built downwards: the smallest Int64 has no positive counterpart.
        var value: Int64 = 0
        for digit in decimal.digits + repeatElement(0, count: decimal.exponent) {
            let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
            let (difference, differenceOverflows) = product.subtractingReportingOverflow(Int64(digit))
            if productOverflows || differenceOverflows { return nil }
            value = difference
        }
        if decimal.isNegative { return value }
        return value == .min ? nil : -value
    }
}

/// A literal as its significant digits times a power of ten: no zero at either end, no digits at all for zero.
private struct Decimal {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0

    /// Far beyond the digits any document can hold, and far from where adding to it could overflow.
    private static let exponentBound = 1_000_000_000_000_000

    init(_ literal: String) {
        var fraction = 0
        var isFraction = false
        var bytes = literal.utf8[...]
        loop: while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): break loop
            default:
                fraction += isFraction ? 1 : 0
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte - UInt8(ascii: "0")) }
            }
        }
        exponent = Self.exponent(bytes) - fraction
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
    }

    private static func exponent(_ text: Substring.UTF8View) -> Int {
        var magnitude = 0
        for byte in text where byte >= UInt8(ascii: "0") {
            magnitude = min(magnitude * 10 + Int(byte - UInt8(ascii: "0")), exponentBound)
        }
        return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
    }
}

extension JSONNumber {
    /// Where the number that begins at `start` ends, or nil when none begins there.
    static func end(in bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        func byte() -> UInt8? {
            index < bytes.count ? bytes[index] : nil
        }
        func skipDigits() -> Bool {
            let first = index
            while let digit = byte(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { index += 1 }
            return index > first
        }
        if byte() == UInt8(ascii: "-") { index += 1 }
        if byte() == UInt8(ascii: "0") {
            index += 1
        } else if !skipDigits() {
            return nil
        }
        if byte() == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() else { return nil }
        }
        if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
            index += 1
            if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { index += 1 }
            guard skipDigits() else { return nil }
        }
        return index
    }
}
