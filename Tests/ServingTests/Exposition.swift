import Testing

/// OpenMetrics text, read back by the format's own grammar; anything that it does not allow is refused.
struct Exposition {
    struct Sample {
        let name: String
        let labels: [String: String]
        let value: String
    }

    struct Refusal: Error {
        let reason: String
        let line: Substring
    }

    private struct Family {
        let type: String
        var unit: String?
        var help: String?
        var hasSamples = false
    }

    private(set) var samples: [Sample] = []
    private var families: [String: Family] = [:]

    private static let suffixes = [
        "gauge": [""], "counter": ["_total", "_created"], "info": ["_info"], "stateset": [""],
        "histogram": ["_bucket", "_count", "_sum", "_created"],
    ]

    init(_ text: String) throws {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", lines.popLast() == "# EOF" else { throw Refusal(reason: "no end", line: "") }
        var current = ""
        var seen: Set<String> = []
        for line in lines {
            if line.hasPrefix("# ") {
                current = try declare(line, current)
            } else {
                let sample = try Self.sample(line)
                guard let family = families[current] else { throw Refusal(reason: "undeclared", line: line) }
                guard (Self.suffixes[family.type] ?? []).contains(where: { current + $0 == sample.name }) else {
                    throw Refusal(reason: "a sample of another family", line: line)
                }
                let identity = sample.name + sample.labels.sorted { $0.key < $1.key }.description
                guard seen.insert(identity).inserted else { throw Refusal(reason: "twice", line: line) }
                if family.type == "stateset", sample.labels[current] == nil {
                    throw Refusal(reason: "a state without its label", line: line)
                }
                families[current]?.hasSamples = true
                samples.append(sample)
            }
        }
        for (name, family) in families {
            guard let help = family.help, !help.isEmpty else { throw Refusal(reason: "no help", line: name[...]) }
        }
    }

    /// The names that a query can use: those of all samples, and those that a family without samples would have.
    var names: Set<String> {
        Set(
            families.flatMap { name, family in
                (Self.suffixes[family.type] ?? []).filter { $0 != "_created" }.map { name + $0 }
            }
        )
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> String? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private mutating func declare(_ line: Substring, _ current: String) throws -> String {
        let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, Self.isName(parts[2][...]) else { throw Refusal(reason: "malformed", line: line) }
        let name = parts[2]
        if parts[1] == "TYPE" {
            guard families[name] == nil, Self.suffixes[parts[3]] != nil else {
                throw Refusal(reason: "declared twice, or of no known type", line: line)
            }
            families[name] = Family(type: parts[3])
            return name
        }
        guard name == current, families[name]?.hasSamples == false else {
            throw Refusal(reason: "not at the family's head", line: line)
        }
        switch parts[1] {
        case "UNIT":
            guard name.hasSuffix("_" + parts[3]) else { throw Refusal(reason: "not its unit", line: line) }
            families[name]?.unit = parts[3]
        case "HELP": families[name]?.help = parts[3]
        default: throw Refusal(reason: "unknown", line: line)
        }
        return name
    }

    private static func sample(_ line: Substring) throws -> Sample {
        let name = line.prefix { $0 != "{" && $0 != " " }
        guard isName(name) else { throw Refusal(reason: "no name", line: line) }
        var rest = line.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest.removeFirst()
            repeat {
                let label = rest.prefix { $0 != "=" }
                rest = rest.dropFirst(label.count)
                guard isName(label), !label.contains(":"), rest.hasPrefix("=\"") else {
                    throw Refusal(reason: "no label", line: line)
                }
                rest = rest.dropFirst(2)
                guard let value = quoted(&rest), labels.updateValue(value, forKey: String(label)) == nil else {
                    throw Refusal(reason: "no value, or a label twice", line: line)
                }
            } while rest.popFirst() == ","
            guard line[..<rest.startIndex].last == "}" else { throw Refusal(reason: "no end", line: line) }
        }
        guard rest.popFirst() == " ", Double(rest) != nil, !rest.contains(" ") else {
            throw Refusal(reason: "no number", line: line)
        }
        return Sample(name: String(name), labels: labels, value: String(rest))
    }

    /// Takes what comes before the closing quotation mark, and the mark.
    private static func quoted(_ rest: inout Substring) -> String? {
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\":
                switch rest.popFirst() {
                case "n": value += "\n"
                case "\\": value += "\\"
                case "\"": value += "\""
                default: return nil
                }
            default: value.append(character)
            }
        }
        return nil
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
                || $0 == UInt8(ascii: "_")
        }
    }
}
