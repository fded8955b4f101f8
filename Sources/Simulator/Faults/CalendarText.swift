internal import Glibc

/// Instants as text, in UTC.
enum CalendarText {
    /// The date of HTTP header fields (RFC 9110 section 5.6.7).
    static func http(unixMilliseconds: Int64) -> String {
        text(unixMilliseconds, "%a, %d %b %Y %H:%M:%S GMT")
    }

    static func rfc3339(unixMilliseconds: Int64) -> String {
        text(unixMilliseconds, "%Y-%m-%dT%H:%M:%SZ")
    }

    /// As SQLite writes it, and as nobody else reads it: without a zone.
    static func sqlite(unixMilliseconds: Int64) -> String {
        text(unixMilliseconds, "%Y-%m-%d %H:%M:%S")
    }

    /// The names of days and months are English: a program is in the C locale until it asks for another.
    private static func text(_ unixMilliseconds: Int64, _ format: String) -> String {
        var seconds = time_t(unixMilliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress, strftime(base, buffer.count, format, &parts) > 0 else { return "" }
            return String(cString: base)
        }
    }
}
