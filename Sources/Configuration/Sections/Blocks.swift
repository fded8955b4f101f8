internal import TokenBroker

/// The named blocks of one section, gathered from all files.
struct Blocks {
    private(set) var fields: [Name: Field] = [:]

    /// Adds the blocks of a file; a name that is taken is reported with both places.
    mutating func add(_ section: Field?) {
        guard let section, let entries = section.entries() else { return }
        for entry in entries {
            let block = section.child(entry)
            guard let name = Name(entry.key) else {
                block.refuseBlock("not a name: \(Name.rule)")
                continue
            }
            if let earlier = fields[name] {
                block.refuseBlock("already defined at \(earlier.place)")
            } else {
                fields[name] = block
            }
        }
    }

    /// Reads every block, leaving out those that `read` reports.
    func map<Value>(_ read: (Name, Field) -> Value?) -> [Name: Value] {
        Dictionary(uniqueKeysWithValues: fields.compactMap { name, field in read(name, field).map { (name, $0) } })
    }

    /// The name under `field`, which must be one of these blocks'. A block that is itself at fault counts: its own
    /// errors say enough.
    ///
    /// - Parameter what: as in `secret`.
    func reference(_ field: Field, to what: String) -> Name? {
        guard let text = field.text("the name of a \(what)") else { return nil }
        if let name = Name(text), fields[name] != nil { return name }
        let which = Quotation(text).map { "\(what) \($0)" } ?? "such \(what)"
        let names = fields.keys.map(\.text).filter { Quotation($0) != nil }
        let hint = NearMiss.hint(for: text, among: names)
        return field.refusing("no \(which)\(hint)")
    }
}
