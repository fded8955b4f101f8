internal import HTTPWire

/// What a caller prefers (RFC 7240): only `wait` is understood, and a malformed preference is as good as none.
struct Preference {
    /// How long the caller is ready to wait; nil where it does not say.
    let wait: Duration?

    init(_ headers: HeaderFields) {
        wait =
            headers.values("prefer").lazy
            .flatMap { $0.split(separator: ",") }
            .compactMap(Self.wait(in:))
            .first
    }

    private static func wait(in preference: Substring) -> Duration? {
        let token = preference.prefix { $0 != ";" }
        let parts = token.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces() }
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
