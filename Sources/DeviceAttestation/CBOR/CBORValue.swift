/// One item of CBOR (RFC 8949), of the kinds that attestations are made of.
enum CBORValue: Equatable, Sendable {
    case unsigned(UInt64)
    /// Of the number -1 - n, the n: it need not fit an `Int64`.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// The entries in their order, each key once.
    case map([CBOREntry])
    case bool(Bool)
    case null
}

/// One key of a map and its value.
struct CBOREntry: Equatable, Sendable {
    let key: CBORValue
    let value: CBORValue
}

extension CBORValue {
    /// Reads one item, and nothing after it.
    init(parsing bytes: [UInt8], limits: CBORLimits = CBORLimits()) throws(CBORError) {
        var reader = try CBORReader(bytes, limits: limits)
        self = try reader.read()
        guard reader.isAtEnd else { throw .trailingBytes }
    }

    init(_ number: Int64) {
        self = number < 0 ? .negative(UInt64(bitPattern: ~number)) : .unsigned(UInt64(number))
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var array: [CBORValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    var map: [CBOREntry]? {
        if case .map(let entries) = self { entries } else { nil }
    }

    /// The value under a key of text; nil too where this is no map.
    subscript(name: String) -> CBORValue? {
        map?.first { $0.key == .text(name) }?.value
    }

    /// The value under a key that is a number; nil too where this is no map.
    subscript(label: Int64) -> CBORValue? {
        map?.first { $0.key == CBORValue(label) }?.value
    }
}
