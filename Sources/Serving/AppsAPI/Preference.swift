internal import HTTPWire

/// What a caller prefers (RFC 7240): only `wait` is understood, and a malformed preference is as good as none.
struct Preference {
    /// How long the caller is ready to wait; nil where it does not say.
    let wait: Duration?

    init(_ headers: HeaderFields) {
        wait =
            headers.values("prefer").lazy
            .flatMap(Self.members)
            .compactMap(Self.wait(in:))
            .first
    }

    /// The parts between the commas that do not stand in a quoted string (RFC 9110 section 5.6.4).
    private static func members(of list: String) -> [Substring] {
        var members: [Substring] = []
        var start = list.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in list.utf8.indices {
            switch list.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                members.append(list[start..<index])
                start = list.utf8.index(after: index)
            default: break
            }
        }
        members.append(list[start...])
        return members
    }

    private static func wait(in preference: Substring) -> Duration? {
        let token = preference.prefix { $0 != ";" }
        let parts = token.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            $0.trimmingSpaces()
        }
        guard parts.count == 2, parts[0].lowercased() == "wait" else { return nil }
        var value = parts[1][...]
        if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
        // Nine digits are 31 years: far over any cap, and no number of nine digits overflows.
        guard (1...9).contains(value.utf8.count), value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(value)
        else { return nil }
        return .seconds(seconds)
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
