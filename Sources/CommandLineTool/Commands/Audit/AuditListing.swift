internal import HTTPWire
internal import JSON

/// Prints the audit log, and what is added to it where that is wanted.
struct AuditListing: Equatable, Sendable {
    let socketPath: String
    /// In unix seconds; nil for all that there is.
    let since: Int64?
    let follows: Bool
    let isJSON: Bool

    /// The most that the broker answers at once.
    private static let page = 1000
    /// How soon what is new is seen.
    private static let betweenPages = Duration.seconds(1)

    func perform() -> Report {
        print(.ofProcess())
    }

    /// - Returns: how to end.
    func print(_ ports: StreamPorts) -> Report {
        var after: Int64 = 0
        var hasBegun = false
        var told: String?
        while !ports.isReaderGone() {
            do throws(CommandFailure) {
                let answer = try Broker(.admin, path: socketPath).ask(target(after: after))
                let events = answer["events"]?.array ?? []
                if let error = ports.write(lines(of: events)) { return Report(writeError: error) }
                after = answer["next"]?.number?.int64 ?? after
                (hasBegun, told) = (true, nil)
                guard events.count < Self.page else { continue }
                guard follows else { return Report() }
            } catch {
                // A broker that was there comes back.
                guard follows, hasBegun, error.status == .unavailable else { return Report(failure: error) }
                if told != error.lines[0] { ports.note(error.lines[0]) }
                told = error.lines[0]
            }
            ports.pause(Self.betweenPages)
        }
        return Report()
    }

    private func target(after sequence: Int64) -> String {
        var query = QueryItems()
        query.append("after", String(sequence))
        query.append("limit", String(Self.page))
        if let since { query.append("since", String(since)) }
        return "/v1/audit?" + query.encoded
    }

    private func lines(of events: [JSONValue]) -> [UInt8] {
        events.flatMap { Array(((isJSON ? AuditLine.json($0) : AuditLine.text($0)) + "\n").utf8) }
    }
}
