internal import CCBOR

/// What libcbor's decoder finds at the head of its input.
enum CBORItem: Equatable {
    case unsigned(UInt64)
    case negative(UInt64)
    /// The length of the bytes or of the text, which are the last that were taken of the input.
    case bytes(Int)
    case text(Int)
    /// The number of elements, or of entries, that the head promises: nobody has seen them.
    case array(UInt64)
    case map(UInt64)
    case bool(Bool)
    case null
    case unsupported
}

extension CBORItem {
    /// Where libcbor writes through: each of its calls names exactly one item.
    private static func set(_ context: UnsafeMutableRawPointer?, _ item: CBORItem) {
        context?.assumingMemoryBound(to: CBORItem.self).pointee = item
    }

    /// The functions that put what they are called with into the ``CBORItem`` that the context points to.
    ///
    /// Every one is set: libcbor calls without looking. What is refused is named here once and for all.
    static func callbacks() -> cbor_callbacks {
        var table = cbor_callbacks()
        table.uint8 = { CBORItem.set($0, .unsigned(UInt64($1))) }
        table.uint16 = { CBORItem.set($0, .unsigned(UInt64($1))) }
        table.uint32 = { CBORItem.set($0, .unsigned(UInt64($1))) }
        table.uint64 = { CBORItem.set($0, .unsigned($1)) }
        table.negint8 = { CBORItem.set($0, .negative(UInt64($1))) }
        table.negint16 = { CBORItem.set($0, .negative(UInt64($1))) }
        table.negint32 = { CBORItem.set($0, .negative(UInt64($1))) }
        table.negint64 = { CBORItem.set($0, .negative($1)) }
        table.byte_string = { CBORItem.set($0, .bytes($2)) }
        table.string = { CBORItem.set($0, .text($2)) }
        // `size_t` is an Int here, and negative from half of its range on.
        table.array_start = { CBORItem.set($0, .array(UInt64(bitPattern: Int64($1)))) }
        table.map_start = { CBORItem.set($0, .map(UInt64(bitPattern: Int64($1)))) }
        table.boolean = { CBORItem.set($0, .bool($1)) }
        table.null = { CBORItem.set($0, .null) }
        table.byte_string_start = { CBORItem.set($0, .unsupported) }
        table.string_start = { CBORItem.set($0, .unsupported) }
        table.indef_array_start = { CBORItem.set($0, .unsupported) }
        table.indef_map_start = { CBORItem.set($0, .unsupported) }
        table.indef_break = { CBORItem.set($0, .unsupported) }
        table.undefined = { CBORItem.set($0, .unsupported) }
        table.tag = { context, _ in CBORItem.set(context, .unsupported) }
        table.float2 = { context, _ in CBORItem.set(context, .unsupported) }
        table.float4 = { context, _ in CBORItem.set(context, .unsupported) }
        table.float8 = { context, _ in CBORItem.set(context, .unsupported) }
        return table
    }
}
