internal import JSON

/// What the broker's look through its audit log came to, for people.
struct AuditVerdict {
    let verdict: JSONValue
    let surroundings: Surroundings

    var isValid: Bool { verdict["valid"]?.bool == true }

    var lines: [String] {
        let chains = verdict["chains"]?.array ?? []
        var table = TextTable(["CLASS", "ROWS", "FIRST", "LAST", "PRUNED", "STATE"])
        for chain in chains {
            let isWhole = chain["valid"]?.bool == true
            table.append(
                [
                    .init(chain["class"]), .init(chain["rows"]), .init(chain["first"]), .init(chain["last"]),
                    .init(chain["pruned"]),
                    .init(isWhole ? "ok" : "INVALID", colour: isWhole ? .green : .red),
                ],
                notes: (chain["reason"]?.scalarText).map { [$0] } ?? []
            )
        }
        return table.lines(usesColour: surroundings.usesColour) + [summary]
    }

    private var summary: String {
        let gaps = verdict["gaps"]?.number?.int64 ?? 0
        let times = gaps == 1 ? "once" : "\(gaps) times"
        let remark = gaps > 0 ? "; \(times), events went to the journal alone" : ""
        return PrintableText.escaped((isValid ? "the audit log is valid" : "the audit log is NOT valid") + remark)
    }
}
