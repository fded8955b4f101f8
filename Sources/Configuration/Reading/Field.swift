internal import TokenBroker

/// A value under a key, and all it takes to complain about it.
struct Field {
    let node: YAMLNode
    /// As in `providers.autocomplete.secret`; empty for a file's root.
    let path: String
    let file: String
    /// Where the key stands that leads to the value; nil for a root and in a list.
    var keyPosition: SourcePosition?
    let log: ProblemLog

    /// Reports a fault of the value.
    func refuse(_ message: String) {
        report(message, at: node.position)
    }

    /// Reports a fault of the block as a whole, such as something that is missing in it, where its key is.
    func refuseBlock(_ message: String) {
        report(message, at: keyPosition ?? node.position)
    }

    /// Reports what is allowed and hardly meant.
    func warn(_ message: String) {
        log.warn(problem(message, at: keyPosition ?? node.position))
    }

    func report(_ message: String, at position: SourcePosition) {
        log.report(problem(message, at: position))
    }

    /// `FILE:LINE:COLUMN` of the key, for another error to point at.
    var place: String { "\(file):\(keyPosition ?? node.position)" }

    /// The value of `entry`, a level deeper, under a key that somebody chose; it is in the path where it may be repeated.
    func child(_ entry: YAMLNode.Entry) -> Field {
        child(entry, as: Quotation.bare(entry.key))
    }

    /// The value of `entry`, a level deeper, under a key that the configuration declares, which is no secret.
    func declaredChild(_ entry: YAMLNode.Entry) -> Field {
        child(entry, as: entry.key)
    }

    private func child(_ entry: YAMLNode.Entry, as word: String) -> Field {
        Field(
            node: entry.value,
            path: path.isEmpty ? word : "\(path).\(word)",
            file: file,
            keyPosition: entry.keyPosition,
            log: log
        )
    }

    private func problem(_ message: String, at position: SourcePosition) -> ConfigurationProblem {
        ConfigurationProblem(file: file, position: position, message: path.isEmpty ? message : "\(path): \(message)")
    }
}

extension Field {
    /// Reads the value as a mapping; keys that `read` does not ask for are reported.
    ///
    /// - Returns: what `read` makes of it, or nil when the value is no mapping.
    func mapping<Value>(_ read: (inout MappingReader) -> Value?) -> Value? {
        guard let entries = entries() else { return nil }
        var reader = MappingReader(self, entries)
        let value = read(&reader)
        reader.reportUnknownKeys()
        return value
    }

    /// The entries of a mapping whose keys are the operator's own.
    func entries() -> [YAMLNode.Entry]? {
        guard case .mapping(let entries) = node.content else {
            refuse("expected a mapping, found \(node.kindOfContent)")
            return nil
        }
        return entries
    }

    /// Reads the value as a list, leaving out the elements that `read` reports.
    func list<Value>(_ read: (Field) -> Value?) -> [Value]? {
        guard case .sequence(let nodes) = node.content else {
            refuse("expected a list, found \(node.kindOfContent)")
            return nil
        }
        return nodes.enumerated().compactMap { index, element in
            read(Field(node: element, path: "\(path)[\(index)]", file: file, log: log))
        }
    }
}
