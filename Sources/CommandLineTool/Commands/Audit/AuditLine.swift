internal import JSON
internal import TokenBroker

/// One event of the audit log as a line. What a broker of another version leaves out is not there.
enum AuditLine {
    static func json(_ event: JSONValue) -> String {
        PrintableText.escapedJSON(String(decoding: event.serialized(), as: UTF8.self))
    }

    /// `2026-07-17T12:34:56Z operator token drop web: ok, by uid 0, pid 12`
    static func text(_ event: JSONValue) -> String {
        let what = ["kind", "action", "subject"].compactMap { event[$0]?.scalarText }.joined(separator: " ")
        var line = "\(time(event)) \(what)"
        if let outcome = event["outcome"]?.scalarText { line += ": \(outcome)" }
        if let detail = event["detail"]?.scalarText { line += " (\(detail))" }
        if let count = event["count"]?.number?.int64, count != 1 { line += ", \(count) times" }
        if let uid = event["uid"]?.scalarText { line += ", by uid \(uid)" }
        if let pid = event["pid"]?.scalarText { line += ", pid \(pid)" }
        if let unit = event["unit"]?.scalarText { line += ", \(unit)" }
        return PrintableText.escaped(line)
    }

    private static func time(_ event: JSONValue) -> String {
        guard let seconds = event["at"]?.number?.int64 else { return "-" }
        return WallInstant(milliseconds: 0).advanced(by: .seconds(seconds)).rfc3339
    }
}
