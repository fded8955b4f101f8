/// The status, drawn again and again on a terminal.
struct Top: Equatable, Sendable {
    let socketPath: String
    /// The environment's, which decide on colour.
    let variables: [String: String]

    /// A broker that does not answer within this is told as such, and asked again.
    private static let patience = Duration.seconds(5)

    /// One picture of the status.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970 on the host's clock.
    ///   - rows: how many lines the terminal has.
    func frame(now: Int64, rows: Int) -> [String] {
        let surroundings = Surroundings(variables: variables, now: now, outputIsTerminal: true)
        let lines: [String]
        do throws(CommandFailure) {
            let status = try Broker(.admin, path: socketPath, patience: Self.patience).ask("/v1/status")
            let report = StatusReport(StatusOrder.worstFirst(status), surroundings).report
            let text = String(decoding: report.output, as: UTF8.self)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        } catch {
            lines = error.lines.map(PrintableText.escaped)
        }
        guard lines.count > rows else { return lines }
        let shown = max(0, rows - 1)
        return Array(lines.prefix(shown)) + ["… \(lines.count - shown) more lines: '\(Installation.program) status'"]
    }
}
