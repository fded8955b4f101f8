internal import CYAML

/// libyaml's event parser over one text, in the part of YAML that a configuration needs.
///
/// Anchors, aliases and tags are refused as they come up: a value then stands where it is read, cannot multiply, and
/// has the type of its key.
final class YAMLEvents {
    enum Event {
        case documentStart
        case documentEnd
        case scalar(String, isPlain: Bool)
        case sequenceStart
        case mappingStart
        /// Of a sequence or a mapping.
        case collectionEnd
        case streamEnd
    }

    // On the heap, because libyaml keeps a pointer to the parser inside it.
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// - Throws: ``YAMLFault`` when there is no memory for the parser.
    init(_ text: some Collection<UInt8>) throws(YAMLFault) {
        // libyaml counts a byte order mark as a column, and would take the first line for indented.
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text.dropFirst(0)
        input = .allocate(capacity: text.count)
        _ = input.initialize(from: text)
        // Zeroed, so that `deinit` may delete a parser that never came to be.
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) != 0 else {
            throw YAMLFault(position: .start, message: "out of memory")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event and where it begins; nothing may be asked for after ``Event/streamEnd`` or an error.
    func next() throws(YAMLFault) -> (Event, SourcePosition) {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) != 0 else { throw fault() }
            defer { yaml_event_delete(&event) }
            let position = SourcePosition(event.start_mark)
            try refuseProperties(of: event, at: position)
            if let known = Event(event) { return (known, position) }
        }
    }

    private func refuseProperties(of event: yaml_event_t, at position: SourcePosition) throws(YAMLFault) {
        let (anchor, tag): (UnsafeMutablePointer<yaml_char_t>?, UnsafeMutablePointer<yaml_char_t>?) =
            switch event.type {
            case YAML_ALIAS_EVENT: (event.data.alias.anchor, nil)
            case YAML_SCALAR_EVENT: (event.data.scalar.anchor, event.data.scalar.tag)
            case YAML_SEQUENCE_START_EVENT: (event.data.sequence_start.anchor, event.data.sequence_start.tag)
            case YAML_MAPPING_START_EVENT: (event.data.mapping_start.anchor, event.data.mapping_start.tag)
            default: (nil, nil)
            }
        if anchor != nil {
            throw YAMLFault(position: position, message: "anchors and aliases are not taken: write the value out")
        }
        if tag != nil {
            throw YAMLFault(position: position, message: "tags are not taken: a value has the type of its key")
        }
    }

    private func fault() -> YAMLFault {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
        let position =
            parser.pointee.error == YAML_READER_ERROR
            ? SourcePosition(ofByte: parser.pointee.problem_offset, in: input)
            : SourcePosition(parser.pointee.problem_mark)
        return YAMLFault(position: position, message: "not YAML: \(problem)")
    }
}

extension YAMLEvents.Event {
    fileprivate init?(_ event: yaml_event_t) {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: self = .documentStart
        case YAML_DOCUMENT_END_EVENT: self = .documentEnd
        case YAML_SEQUENCE_START_EVENT: self = .sequenceStart
        case YAML_MAPPING_START_EVENT: self = .mappingStart
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: self = .collectionEnd
        case YAML_STREAM_END_EVENT: self = .streamEnd
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            self = .scalar(String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        default: return nil
        }
    }
}

extension SourcePosition {
    static let start = SourcePosition(line: 1, column: 1)

    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: mark.line + 1, column: mark.column + 1)
    }

    /// Of a byte that libyaml could not read as a character, and for which it has only the offset.
    fileprivate init(ofByte offset: Int, in text: UnsafeMutableBufferPointer<UInt8>) {
        let before = text.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let isContinuation = { (byte: UInt8) in byte & 0xC0 == 0x80 }
        self.init(line: line.count, column: (line.last?.count { !isContinuation($0) } ?? 0) + 1)
    }
}
