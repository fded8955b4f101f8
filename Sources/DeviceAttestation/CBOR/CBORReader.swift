internal import CCBOR

/// Reads CBOR item by item, under limits.
///
/// libcbor decodes the heads and checks that strings are there; it builds nothing, so that a length or a count in
/// the input is never memory that somebody asks for. What is built is bounded here, and by the input's own length.
struct CBORReader {
    private let bytes: [UInt8]
    private let limits: CBORLimits
    private var position = 0
    private var itemCount = 0
    private var callbacks = CBORItem.callbacks()

    init(_ bytes: [UInt8], limits: CBORLimits = CBORLimits()) throws(CBORError) {
        guard bytes.count <= limits.bytes else { throw .tooLong }
        self.bytes = bytes
        self.limits = limits
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Reads the next item with everything in it.
    mutating func read() throws(CBORError) -> CBORValue {
        try read(depth: 0)
    }

    private mutating func read(depth: Int) throws(CBORError) -> CBORValue {
        switch try nextItem() {
        case .unsigned(let number): return .unsigned(number)
        case .negative(let number): return .negative(number)
        case .bool(let bool): return .bool(bool)
        case .null: return .null
        case .bytes(let count): return .bytes(Array(taken(count)))
        case .text(let count):
            guard let text = String(validating: taken(count), as: UTF8.self) else { throw .invalidText }
            return .text(text)
        case .array(let count): return .array(try readElements(count, depth: depth + 1))
        case .map(let count): return .map(try readEntries(count, depth: depth + 1))
        case .unsupported: throw .unsupported
        }
    }

    /// A count beyond the limit ends at the limit: each element is an item, and items are counted.
    private mutating func readElements(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORValue] {
        guard depth <= limits.depth else { throw .tooDeep }
        var elements: [CBORValue] = []
        while elements.count < count { elements.append(try read(depth: depth)) }
        return elements
    }

    private mutating func readEntries(_ count: UInt64, depth: Int) throws(CBORError) -> [CBOREntry] {
        guard depth <= limits.depth else { throw .tooDeep }
        var entries: [CBOREntry] = []
        while entries.count < count {
            let key = try read(depth: depth)
            guard !entries.contains(where: { $0.key == key }) else { throw .duplicateKey }
            entries.append(CBOREntry(key: key, value: try read(depth: depth)))
        }
        return entries
    }

    private mutating func nextItem() throws(CBORError) -> CBORItem {
        guard itemCount < limits.items else { throw .tooManyItems }
        itemCount += 1
        guard position < bytes.count else { throw .truncated }
        var item = CBORItem.unsupported
        let result = bytes.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[position...])
            return cbor_stream_decode(rest.baseAddress, rest.count, &callbacks, &item)
        }
        switch result.status {
        case CBOR_DECODER_FINISHED: position += result.read
        case CBOR_DECODER_NEDATA: throw .truncated
        default: throw .malformed
        }
        return item
    }

    /// The last bytes that libcbor took.
    private func taken(_ count: Int) -> ArraySlice<UInt8> {
        bytes[(position - count)..<position]
    }
}
