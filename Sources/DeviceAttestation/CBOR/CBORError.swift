/// Why bytes were refused as CBOR (RFC 8949). It never holds what was read.
enum CBORError: String, Error, Equatable, Sendable {
    case truncated = "ends too early"
    case malformed = "not well-formed"
    /// Indefinite lengths, tags, floating-point numbers and simple values: no attestation has them.
    case unsupported = "an item of a kind that is not read here"
    case tooLong = "longer than the limit"
    case tooDeep = "nested too deep"
    case tooManyItems = "more items than the limit"
    case invalidText = "text that is not UTF-8"
    /// Of two entries of one key none can be trusted.
    case duplicateKey = "a key that the map already has"
    case trailingBytes = "bytes after the item"
}
