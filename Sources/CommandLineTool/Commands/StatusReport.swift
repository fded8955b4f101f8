internal import JSON

/// The broker's status for people. What a broker of another version leaves out is a dash or not there.
struct StatusReport: Sendable {
    private let status: JSONValue
    private let surroundings: Surroundings

    init(_ status: JSONValue, _ surroundings: Surroundings) {
        self.status = status
        self.surroundings = surroundings
    }

    var report: Report {
        let warnings = status["warnings"]?.array?.compactMap(\.string) ?? []
        let secrets = status["secrets"]?.array?.compactMap { $0["problem"]?.string } ?? []
        let lines = [summary] + configuration + store + memory + [""] + tokens + secrets.map(PrintableText.escaped)
        return .text(lines + warnings.map { "warning: " + PrintableText.escaped($0) })
    }

    private var summary: String {
        var parts = ["\(Installation.program) \(status["version"]?.scalarText ?? "-")"]
        if let ready = status["ready"]?.bool { parts.append(ready ? "ready" : "not ready") }
        if let pid = status["pid"]?.scalarText { parts.append("pid \(pid)") }
        if let started = time(status["started_at"]) { parts.append("started \(started)") }
        return PrintableText.escaped(parts.joined(separator: ", "))
    }

    private var configuration: [String] {
        guard let configuration = status["configuration"] else { return [] }
        var line = "configuration \(configuration["path"]?.scalarText ?? "-")"
        if let loaded = time(configuration["loaded_at"]) { line += ", loaded \(loaded)" }
        var lines = [PrintableText.escaped(line)]
        if let error = configuration["last_error"]?.scalarText {
            // One line for each fault of the file.
            lines += error.split(separator: "\n").map { "  not reloaded: " + PrintableText.escaped(String($0)) }
        }
        return lines
    }

    /// What an operator has to know of it; nothing while there is nothing to know.
    private var store: [String] {
        guard let store = status["store"], let state = store["state"]?.scalarText else { return [] }
        var lines: [String] = []
        if state != "serving" {
            let detail = store["detail"]?.scalarText.map { ": \($0)" } ?? ""
            lines.append("store \(state)\(detail); tokens are kept in memory")
        }
        if let path = store["set_aside"]?.scalarText { lines.append("store that was set aside: \(path)") }
        return lines.map(PrintableText.escaped)
    }

    /// Nothing while all of it is locked.
    private var memory: [String] {
        guard let bytes = status["secret_memory"]?["unlocked_bytes"]?.number?.int64, bytes > 0 else { return [] }
        return ["secret memory: \(bytes) bytes of keys and tokens may be written to swap: LimitMEMLOCK= is too low"]
    }

    private var tokens: [String] {
        let tokens = status["tokens"]?.array ?? []
        guard !tokens.isEmpty else { return ["no tokens are configured"] }
        var table = TextTable(["NAME", "PROVIDER", "STATE", "EXPIRES", "NEXT ATTEMPT", "MINTS", "FAILURES", "WAITERS"])
        for token in tokens {
            table.append(
                [
                    .init(token["name"]),
                    .init(token["provider"]),
                    .init(state: token["state"]),
                    .init(expiry(token) ?? "-"),
                    .init(time(token["next_attempt_at"]) ?? "-"),
                    .init(token["mints"]),
                    .init(failures(token)),
                    .init(token["waiters"]),
                ],
                notes: lastError(token).map { [$0] } ?? []
            )
        }
        return table.lines(usesColour: surroundings.usesColour)
    }

    /// By the broker's own count where it gives one: it knows both clocks.
    private func expiry(_ token: JSONValue) -> String? {
        if let seconds = token["expires_in"]?.number?.int64 { return RelativeTime.text(secondsFromNow: seconds) }
        return time(token["expires_at"])
    }

    private func failures(_ token: JSONValue) -> String {
        let all = token["failures"]?.scalarText ?? "-"
        guard let streak = token["failures_in_a_row"]?.number?.int64, streak > 0 else { return all }
        return "\(all) (\(streak) in a row)"
    }

    private func lastError(_ token: JSONValue) -> String? {
        guard let error = token["last_error"], let code = error["code"]?.scalarText else { return nil }
        let when = time(error["at"]).map { " \($0)" } ?? ""
        let detail = error["detail"]?.scalarText.map { ": \($0)" } ?? ""
        let provider = [error["provider_status"]?.scalarText, error["provider_code"]?.scalarText].compactMap { $0 }
        let answered = provider.isEmpty ? "" : " (the provider answered \(provider.joined(separator: " ")))"
        return "last error\(when): \(code)\(detail)\(answered)"
    }

    private func time(_ value: JSONValue?) -> String? {
        value?.number?.int64.map { RelativeTime.text($0, now: surroundings.now) }
    }
}
