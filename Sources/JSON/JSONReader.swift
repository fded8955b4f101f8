/// A recursive descent over one document. Each function begins at the first byte of what it reads and leaves
/// `index` behind its last.
struct JSONReader {
    let bytes: [UInt8]
    let maximumDepth: Int
    var index = 0

    init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func readDocument() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        skipWhiteSpace()
        let value = try readValue(depth: 0)
        skipWhiteSpace()
        guard index == bytes.count else { throw JSONError(.trailingBytes, at: index) }
        return value
    }

    private mutating func readValue(depth: Int) throws(JSONError) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readKeyword("true", as: .bool(true))
        case UInt8(ascii: "f"): return try readKeyword("false", as: .bool(false))
        case UInt8(ascii: "n"): return try readKeyword("null", as: .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        default: throw JSONError(.unexpectedByte, at: index)
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) -> JSONObject {
        try open(depth: depth)
        var members: [JSONObject.Member] = []
        var names: Set<String> = []
        if try closes(with: UInt8(ascii: "}")) { return JSONObject() }
        repeat {
            skipWhiteSpace()
            guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: index) }
            let start = index
            let name = try readString()
            guard names.insert(name).inserted else { throw JSONError(.duplicateMember, at: start) }
            skipWhiteSpace()
            guard try peek() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: index) }
            index += 1
            skipWhiteSpace()
            members.append(JSONObject.Member(name: name, value: try readValue(depth: depth)))
        } while try goesOn(orClosesWith: UInt8(ascii: "}"))
        return JSONObject(checkedMembers: members)
    }

    private mutating func readArray(depth: Int) throws(JSONError) -> [JSONValue] {
        try open(depth: depth)
        var elements: [JSONValue] = []
        if try closes(with: UInt8(ascii: "]")) { return elements }
        repeat {
            skipWhiteSpace()
            elements.append(try readValue(depth: depth))
        } while try goesOn(orClosesWith: UInt8(ascii: "]"))
        return elements
    }

    private mutating func readKeyword(_ word: StaticString, as value: JSONValue) throws(JSONError) -> JSONValue {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[offset] else { throw JSONError(.unexpectedByte, at: index) }
            index += 1
        }
        return value
    }

    private mutating func readNumber() throws(JSONError) -> JSONNumber {
        guard let end = JSONNumber.end(in: bytes, from: index) else { throw JSONError(.malformedNumber, at: index) }
        // `01` would otherwise read as 0 and be reported as a stray 1.
        if end < bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[end] {
            throw JSONError(.malformedNumber, at: index)
        }
        let literal = String(decoding: bytes[index..<end], as: UTF8.self)
        index = end
        return JSONNumber(checkedLiteral: literal)
    }
}

extension JSONReader {
    func peek() throws(JSONError) -> UInt8 {
        guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: index) }
        return bytes[index]
    }

    private mutating func skipWhiteSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
            default: return
            }
        }
    }

    /// Takes the bracket that opens an array or object.
    private mutating func open(depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: index) }
        index += 1
    }

    /// Whether an array or object that was just opened is empty; takes its closing bracket then.
    private mutating func closes(with bracket: UInt8) throws(JSONError) -> Bool {
        skipWhiteSpace()
        guard try peek() == bracket else { return false }
        index += 1
        return true
    }

    /// Takes the comma (true) or the closing bracket (false) that must follow an element.
    private mutating func goesOn(orClosesWith bracket: UInt8) throws(JSONError) -> Bool {
        skipWhiteSpace()
        let byte = try peek()
        guard byte == bracket || byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: index) }
        index += 1
        return byte == UInt8(ascii: ",")
    }
}
