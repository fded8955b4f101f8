// The two ways in which providers write a date as text, and the one in which the broker does. Both name UTC or an
// offset, so no time zone of the host ever takes part.

extension WallInstant {
    /// Reads an RFC 3339 date-time: `2026-07-17T12:34:56Z`, with a fraction and with an offset such as `+05:30`.
    ///
    /// A leap second reads as the second after it; digits finer than a millisecond are dropped.
    public init?(rfc3339 text: some StringProtocol) {
        var scanner = DateScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
            scanner.skip("-"), let day = scanner.number(digits: 2),
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let time = scanner.timeOfDay()
        else { return nil }
        var milliseconds: Int64 = 0
        if scanner.skip(".") {
            guard let fraction = scanner.fractionInMilliseconds() else { return nil }
            milliseconds = fraction
        }
        guard let offset = scanner.offsetInSeconds(), scanner.isAtEnd,
            let days = daysSinceEpoch(year: year, month: month, day: day)
        else { return nil }
        self.init(milliseconds: (days * 86400 + time - offset) * 1000 + milliseconds)
    }

    /// Reads an HTTP date in its three forms (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`,
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter reference: the present, by which a two-digit year is told: one more than 50 years ahead is past.
    public init?(httpDate text: some StringProtocol, reference: WallInstant) {
        var scanner = DateScanner(text)
        guard scanner.letters() != nil else { return nil }
        let fields: (year: Int64, month: Int64, day: Int64, time: Int64)
        if scanner.skip(",") {
            guard scanner.skip(" "), let day = scanner.number(digits: 2) else { return nil }
            let isObsolete = scanner.skip("-")
            guard isObsolete || scanner.skip(" "), let month = scanner.monthName(),
                scanner.skip(isObsolete ? "-" : " "), let writtenYear = scanner.number(digits: isObsolete ? 2 : 4),
                scanner.skip(" "), let time = scanner.timeOfDay(), scanner.skip(" "), scanner.letters() == "GMT"
            else { return nil }
            let year = isObsolete ? fullYear(of: writtenYear, reference: reference) : writtenYear
            fields = (year, month, day, time)
        } else {
            guard scanner.skip(" "), let month = scanner.monthName(), scanner.skip(" "),
                let day = scanner.skip(" ") ? scanner.number(digits: 1) : scanner.number(digits: 2),
                scanner.skip(" "), let time = scanner.timeOfDay(), scanner.skip(" "),
                let year = scanner.number(digits: 4)
            else { return nil }
            fields = (year, month, day, time)
        }
        guard scanner.isAtEnd, let days = daysSinceEpoch(year: fields.year, month: fields.month, day: fields.day)
        else { return nil }
        self.init(milliseconds: (days * 86400 + fields.time) * 1000)
    }

    /// This instant as RFC 3339 text in whole seconds of UTC, such as `2026-07-17T12:34:56Z`.
    public var rfc3339: String {
        let seconds = unixSeconds
        let days = seconds.flooredDivision(by: 86400)
        let time = seconds - days * 86400
        let (year, month, day) = civilDate(daysSinceEpoch: days)
        return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
            + "T\(padded(time / 3600, to: 2)):\(padded(time / 60 % 60, to: 2)):\(padded(time % 60, to: 2))Z"
    }
}

private let monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/// The year that `twoDigits` means: RFC 9110 §5.6.7 puts what looks more than 50 years ahead into the past.
private func fullYear(of twoDigits: Int64, reference: WallInstant) -> Int64 {
    let present = civilDate(daysSinceEpoch: reference.unixSeconds.flooredDivision(by: 86400)).year
    let candidate = present - present % 100 + twoDigits
    return candidate > present + 50 ? candidate - 100 : candidate
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar; nil for a date that does not exist.
///
/// Counts in years that begin in March, so that the leap day is a year's last.
private func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard (1...12).contains(month), day >= 1 else { return nil }
    let shiftedYear = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let leapDays =
        shiftedYear.flooredDivision(by: 4) - shiftedYear.flooredDivision(by: 100) + shiftedYear.flooredDivision(by: 400)
    let days = shiftedYear * 365 + leapDays + dayOfYear - 719_468
    let roundTrip = civilDate(daysSinceEpoch: days)
    return roundTrip == (year, month, day) ? days : nil
}

private func civilDate(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

private func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// Reads the fixed fields that dates are made of; every method leaves what it does not take.
private struct DateScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: some StringProtocol) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits count: Int) -> Int64? {
        guard rest.count >= count else { return nil }
        var value: Int64 = 0
        for byte in rest.prefix(count) {
            guard let digit = digit(byte) else { return nil }
            value = value * 10 + digit
        }
        rest = rest.dropFirst(count)
        return value
    }

    mutating func letters() -> String? {
        let word = rest.prefix { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
        guard !word.isEmpty else { return nil }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    mutating func monthName() -> Int64? {
        guard let name = letters(), let index = monthNames.firstIndex(of: name) else { return nil }
        return Int64(index + 1)
    }

    /// `hh:mm:ss` in seconds since midnight; the leap second 60 counts as it stands.
    mutating func timeOfDay() -> Int64? {
        guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60,
            skip(":"), let second = number(digits: 2), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    mutating func fractionInMilliseconds() -> Int64? {
        let digits = rest.prefix { digit($0) != nil }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let firstThree = Array(digits.prefix(3)) + Array(repeating: UInt8(ascii: "0"), count: max(0, 3 - digits.count))
        return firstThree.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    mutating func offsetInSeconds() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64 = skip("-") ? -1 : 1
        guard sign < 0 || skip("+"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private func digit(_ byte: UInt8) -> Int64? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
    }
}
