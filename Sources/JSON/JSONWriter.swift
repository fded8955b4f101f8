extension JSONValue {
    /// The document as UTF-8 bytes.
    ///
    /// - Parameter pretty: one member or element a line, indented by two spaces; else without any white space.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(self)
        return writer.output
    }
}

private struct JSONWriter {
    let isPretty: Bool
    var output: [UInt8] = []
    private var depth = 0

    init(isPretty: Bool) {
        self.isPretty = isPretty
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(true): append("true")
        case .bool(false): append("false")
        case .number(let number): output += number.literal.utf8
        case .string(let string): write(string)
        case .array(let elements):
            writeList(elements, open: "[", close: "]") { writer, element in writer.write(element) }
        case .object(let object):
            writeList(object.members, open: "{", close: "}") { writer, member in
                writer.write(member.name)
                writer.append(writer.isPretty ? ": " : ":")
                writer.write(member.value)
            }
        }
    }

    private mutating func writeList<Element>(
        _ elements: [Element],
        open: StaticString,
        close: StaticString,
        each: (inout JSONWriter, Element) -> Void
    ) {
        append(open)
        depth += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            breakLine()
            each(&self, element)
        }
        depth -= 1
        if !elements.isEmpty { breakLine() }
        append(close)
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }

    /// Escapes what RFC 8259 section 7 says must be, and nothing else: `/` stays as it is.
    private mutating func write(_ string: String) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x08: append("\\b")
            case 0x0C: append("\\f")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case 0..<0x20:
                append(byte < 0x10 ? "\\u000" : "\\u001")
                output += String(byte & 0x0F, radix: 16).utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ text: StaticString) {
        output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
