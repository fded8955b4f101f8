internal import JSON

/// The findings for people and for scripts.
struct DoctorReport {
    private let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
    }

    private var status: ExitStatus {
        findings.contains { $0.level == .fault } ? .faultFound : .done
    }

    /// A line for each finding, and below it the command that mends it.
    func text(usesColour: Bool) -> Report {
        var report = Report.text(findings.flatMap { Self.lines($0, usesColour: usesColour) })
        report.status = status
        return report
    }

    /// A list of objects with `level`, `code`, `text` and `remedy`.
    var json: Report {
        let list = findings.map { finding -> JSONValue in
            [
                "level": .string(finding.level.rawValue),
                "code": .string(finding.code),
                "text": .string(finding.text),
                "remedy": finding.remedy.map(JSONValue.string) ?? nil,
            ]
        }
        var report = JSONValue.array(list).report
        report.status = status
        return report
    }

    private static func lines(_ finding: Finding, usesColour: Bool) -> [String] {
        let level = finding.level.rawValue
        let word = usesColour ? finding.level.colour.applied(to: level) : level
        let margin = String(repeating: " ", count: Finding.Level.width - level.count)
        let line = "\(word)\(margin)  \(PrintableText.escaped(finding.text))"
        guard let remedy = finding.remedy else { return [line] }
        return [line, "\(String(repeating: " ", count: Finding.Level.width))  mend: \(PrintableText.escaped(remedy))"]
    }
}

extension Finding.Level {
    fileprivate static let width = Finding.Level.warning.rawValue.count

    fileprivate var colour: Colour {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .fault: .red
        }
    }
}
