/// Takes the keys of a mapping one by one and knows which were not asked for.
struct MappingReader {
    let field: Field
    private let entries: [String: YAMLNode.Entry]
    private var knownKeys: [String] = []
    /// Those that are needed and not there.
    private var missingKeys: [String] = []
    private var toleratesRest = false

    init(_ field: Field, _ entries: [YAMLNode.Entry]) {
        self.field = field
        self.entries = Dictionary(entries.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value under `key`, or nil where it is left out.
    mutating func optional(_ key: String) -> Field? {
        knownKeys.append(key)
        return entries[key].map(field.declaredChild)
    }

    /// The value under `key`; that it is left out is reported.
    ///
    /// - Parameter reason: why it is needed, where that is not plain.
    mutating func required(_ key: String, because reason: String? = nil) -> Field? {
        let value = optional(key)
        if value == nil {
            missingKeys.append(key)
            field.refuseBlock("needs '\(key)'" + (reason.map { ": \($0)" } ?? ""))
        }
        return value
    }

    /// Reports `key`, which means something and is not taken here.
    ///
    /// - Returns: whether it is there.
    @discardableResult
    mutating func refuse(_ key: String, _ message: String) -> Bool {
        guard let entry = entries[key] else { return false }
        knownKeys.append(key)
        field.declaredChild(entry).refuseBlock(message)
        return true
    }

    /// Lets keys pass that cannot be judged, because what would judge them is itself at fault.
    mutating func tolerateRest() {
        toleratesRest = true
    }

    /// Reports what nobody asked for. Of keys that cannot be judged it is those that were probably meant for a missing one.
    func reportUnknownKeys() {
        for entry in entries.values where !knownKeys.contains(entry.key) {
            let hint = NearMiss.hint(for: entry.key, among: toleratesRest ? missingKeys : knownKeys)
            guard !toleratesRest || !hint.isEmpty else { continue }
            field.child(entry).refuseBlock("unknown key\(hint)")
        }
    }
}
