internal import TokenBroker

/// The one document of a file, as a tree.
struct YAMLDocument {
    /// Deeper than any configuration is, and shallow enough for recursion.
    static let maximumDepth = 32

    /// Nil for a file with nothing in it but comments.
    let root: YAMLNode?
    /// What is wrong with keys, while the rest of the tree can be read.
    let faults: [YAMLFault]

    /// - Throws: the first fault that leaves no tree to read.
    init(_ text: some Collection<UInt8>) throws(YAMLFault) {
        var composer = Composer(events: try YAMLEvents(text))
        root = try composer.document()
        faults = composer.faults
    }
}

/// Builds nodes from events.
private struct Composer {
    let events: YAMLEvents
    var faults: [YAMLFault] = []

    mutating func document() throws(YAMLFault) -> YAMLNode? {
        guard case (.documentStart, _) = try events.next() else { return nil }
        let (event, position) = try events.next()
        let root = try node(event, position, depth: 1)
        _ = try events.next()
        let (end, second) = try events.next()
        guard case .streamEnd = end else {
            throw YAMLFault(position: second, message: "a second document: a file is one")
        }
        return root
    }

    private mutating func node(
        _ event: YAMLEvents.Event,
        _ position: SourcePosition,
        depth: Int
    ) throws(YAMLFault) -> YAMLNode {
        guard depth <= YAMLDocument.maximumDepth else {
            throw YAMLFault(position: position, message: "nested deeper than \(YAMLDocument.maximumDepth) levels")
        }
        switch event {
        case .scalar(let text, let isPlain):
            let isNull = isPlain && ["", "~", "null", "Null", "NULL"].contains(text)
            return YAMLNode(content: isNull ? .null : .scalar(text), position: position)
        case .sequenceStart:
            return YAMLNode(content: .sequence(try sequence(depth: depth)), position: position)
        case .mappingStart:
            return YAMLNode(content: .mapping(try mapping(depth: depth)), position: position)
        case .documentStart, .documentEnd, .collectionEnd, .streamEnd:
            throw YAMLFault(position: position, message: "not YAML: a value is missing")
        }
    }

    private mutating func sequence(depth: Int) throws(YAMLFault) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        while true {
            let (event, position) = try events.next()
            if case .collectionEnd = event { return nodes }
            nodes.append(try node(event, position, depth: depth + 1))
        }
    }

    private mutating func mapping(depth: Int) throws(YAMLFault) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var firstPositions: [String: SourcePosition] = [:]
        while true {
            let (event, position) = try events.next()
            if case .collectionEnd = event { return entries }
            guard case .scalar(let key, let isPlain) = event else {
                throw YAMLFault(position: position, message: "a key must be a single word")
            }
            if isPlain && key == "<<" {
                throw YAMLFault(position: position, message: "merge keys are not taken: write the values out")
            }
            let (valueEvent, valuePosition) = try events.next()
            let value = try node(valueEvent, valuePosition, depth: depth + 1)
            if let first = firstPositions[key] {
                let what = Quotation(key).map { "key \($0)" } ?? "a key"
                faults.append(YAMLFault(position: position, message: "\(what) is given twice, first at \(first)"))
            } else {
                firstPositions[key] = position
                entries.append(YAMLNode.Entry(key: key, keyPosition: position, value: value))
            }
        }
    }
}
