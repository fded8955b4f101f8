/// Instants as people and log collectors read them.
enum Timestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// RFC 3339 in UTC with milliseconds; years beyond 9999 are written with all their digits.
    static func rfc3339(unixMilliseconds: Int64) -> String {
        let (day, time) = unixMilliseconds.flooredDivision(by: millisecondsPerDay)
        let date = civilDate(daysSinceEpoch: day)
        let clock = "\(padded(time / 3_600_000)):\(padded(time / 60_000 % 60)):\(padded(time / 1000 % 60))"
        return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))T\(clock).\(padded(time % 1000, 3))Z"
    }

    /// The proleptic Gregorian date, by Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day
    /// is the last one, and 400 of them are an era of 146,097 days.
    private static func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSinceEpoch + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ number: Int64, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// Quotient and remainder with the remainder never negative, for instants before 1970.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
