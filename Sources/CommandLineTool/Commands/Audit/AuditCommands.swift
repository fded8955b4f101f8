internal import HTTPWire
internal import JSON

extension Command {
    static let audit = Command(
        words: ["audit"],
        options: [.since, .follow, .json],
        socket: .admin,
        summary: "print who did what",
        details: [
            "Mints, forced mints, denials, steps of secrets, reloads and what operators did, the oldest first; with "
                + "--follow, then each that comes. Never shows a token, nor for which end user one is.",
            "'\(Installation.program) audit verify' says whether all of it is as it was written. For root and operators.",
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            .audit(
                AuditListing(
                    socketPath: BrokerSocket.admin.path(invocation, surroundings),
                    since: try invocation.earliest(before: surroundings.now),
                    follows: invocation.has(.follow),
                    isJSON: invocation.has(.json)
                )
            )
        }
    )

    static let auditVerify = Command(
        words: ["audit", "verify"],
        options: [.head, .json],
        socket: .admin,
        summary: "check that nobody changed the audit log",
        details: [
            "Looks through all rows. Where one was changed, moved or taken out it names the first, and ends with 1.",
            "Who can put back an older copy of the whole store takes its newest rows away unseen, but for the heads that "
                + "the broker puts into the journal ('Audit log head', each hour and when it stops). --head HEAD asks "
                + "whether the log still has that row. For root and operators.",
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            var query = QueryItems()
            if let head = invocation[.head] { query.append("head", head) }
            let target = "/v1/audit/verify" + (query.items.isEmpty ? "" : "?\(query.encoded)")
            let answer = try Broker(invocation, surroundings).ask(target)
            let verdict = AuditVerdict(verdict: answer, surroundings: surroundings)
            var report = invocation.has(.json) ? answer.report : Report.text(verdict.lines)
            report.status = verdict.isValid ? .done : .refusedByBroker
            return .report(report)
        }
    )
}

extension CommandOption {
    static let since = CommandOption("--since", value: "DURATION", "only what is no older than this: 60s, 5m, 1h30m")
    static let follow = CommandOption("--follow", "go on with each event that comes")
    static let head = CommandOption("--head", value: "HEAD", "a head from the journal, CLASS:SEQUENCE:CODE")
}

extension Invocation {
    /// - Returns: in unix seconds; nil where nothing was typed.
    fileprivate func earliest(before now: Int64) throws(CommandFailure) -> Int64? {
        guard let text = self[.since] else { return nil }
        guard let duration = DurationArgument(text) else {
            throw .usage("--since takes a duration such as 60s, 5m or 1h30m", of: text)
        }
        return max(0, now - Int64(duration.seconds))
    }
}
