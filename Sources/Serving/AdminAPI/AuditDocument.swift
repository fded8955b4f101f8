internal import JSON
internal import TokenBroker

/// Rows of the audit log as the admin socket answers them.
enum AuditDocument {
    private static let members = [
        "kind", "action", "subject", "outcome", "detail", "count", "uid", "pid", "unit",
    ]

    /// - Parameter sequence: after which the rows were asked for.
    static func json(of rows: [AuditRow], after sequence: Int64) -> JSONValue {
        [
            "events": .array(rows.map(json)),
            "next": .number(JSONNumber(rows.last?.sequence ?? sequence)),
        ]
    }

    private static func json(of row: AuditRow) -> JSONValue {
        let payload = row.payload.flatMap { try? JSONValue(parsing: $0) }
        var document: JSONObject = [
            "sequence": .number(JSONNumber(row.sequence)), "at": .number(JSONNumber(row.at.unixSeconds)),
        ]
        for name in members { document[name] = payload?[name] ?? .null }
        if payload == nil { document["kind"] = "unreadable" }
        if payload?["count"] == nil { document["count"] = 1 }
        return .object(document)
    }

    static func json(of reports: [AuditChainReport]) -> JSONValue {
        [
            "valid": .bool(reports.allSatisfy { $0.fault == nil }),
            "chains": .array(reports.map(json)),
            "gaps": .number(JSONNumber(reports.first { $0.auditClass == .gap }?.rows ?? 0)),
        ]
    }

    private static func json(of report: AuditChainReport) -> JSONValue {
        [
            "class": .string(report.auditClass.rawValue),
            "valid": .bool(report.fault == nil),
            "rows": .number(JSONNumber(report.rows)),
            "first": number(report.first),
            "last": number(report.last),
            "pruned": .number(JSONNumber(report.pruned)),
            "pruned_through": number(report.prunedThrough),
            "head": (report.head?.description).map(JSONValue.string) ?? .null,
            "first_bad": number(report.fault?.sequence),
            "reason": (report.fault?.text).map(JSONValue.string) ?? .null,
        ]
    }

    private static func number(_ number: Int64?) -> JSONValue {
        number.map { .number(JSONNumber($0)) } ?? .null
    }
}

extension AuditChainReport.Fault {
    fileprivate var sequence: Int64? {
        switch self {
        case .row(let sequence), .end(let sequence), .stray(let sequence): sequence
        case .head(let head): head.sequence
        case .record: nil
        }
    }

    fileprivate var text: String {
        switch self {
        case .row(let sequence): "row \(sequence) was changed, or rows before it were taken out"
        case .end(let sequence): "rows are missing at the end; \(sequence) was the last"
        case .stray(let sequence): "row \(sequence) is of no class that there is: it was put in, or changed"
        case .record: "the record of the chains was taken out or changed; rows can be missing"
        case .head(let head): "row \(head.sequence) is not there, or not the one that the head tells of"
        }
    }
}
