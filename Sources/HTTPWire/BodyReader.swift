/// Collects a message's body from bytes that come in pieces of any size.
struct BodyReader: Sendable {
    private enum Framing {
        case length(remaining: Int)
        case chunked(ChunkedDecoder)
        case untilClose
    }

    private var framing: Framing
    private(set) var body: [UInt8] = []

    /// A body of a known length; refused at once where that is over the limit.
    init(length: Int, limits: WireLimits) throws(WireRefusal) {
        guard length <= limits.bodyBytes else { throw .bodyTooLarge }
        framing = .length(remaining: length)
    }

    private init(_ framing: Framing) {
        self.framing = framing
    }

    static var chunked: BodyReader { BodyReader(.chunked(ChunkedDecoder())) }

    static var untilClose: BodyReader { BodyReader(.untilClose) }

    /// Whether the end of the connection is the body's end.
    var isUntilClose: Bool {
        if case .untilClose = framing { true } else { false }
    }

    /// Takes what belongs to the body, and says whether it is complete.
    ///
    /// Memory is taken as the bytes arrive, never for what a peer merely announces.
    mutating func read(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int,
        limits: WireLimits
    ) throws(WireRefusal) -> Bool {
        switch framing {
        case .length(let remaining):
            let end = position + min(remaining, input.count - position)
            body += UnsafeRawBufferPointer(rebasing: input[position..<end])
            framing = .length(remaining: remaining - (end - position))
            defer { position = end }
            return remaining == end - position
        case .chunked(var decoder):
            defer { framing = .chunked(decoder) }
            return try decoder.decode(input, &position, into: &body, limits: limits)
        case .untilClose:
            guard input.count - position <= limits.bodyBytes - body.count else { throw .bodyTooLarge }
            body += UnsafeRawBufferPointer(rebasing: input[position...])
            position = input.count
            return false
        }
    }
}
