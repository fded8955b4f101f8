/// Decodes a chunked body (RFC 9112 section 7.1) that comes in pieces of any size.
///
/// Extensions and trailer fields are checked for what no line may hold, counted against
/// ``WireLimits/chunkMetadataBytes``, and dropped. White space between a chunk's size and its extension, which no client
/// is known to send and readers differ over, is refused.
struct ChunkedDecoder: Sendable {
    private enum State {
        case sizeStart, size, sizeExtension, sizeLineFeed
        case data, dataCarriageReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case complete
    }

    /// Sixteen hexadecimal digits hold any size; more could only be zeros sent to keep us busy.
    private static let maximumSizeDigits = 16

    private var state = State.sizeStart
    private var sizeDigits = 0
    /// The chunk's size while its digits are read, then how much of its data is missing.
    private var remaining = 0
    private var metadataBytes = 0

    /// Appends what `input` holds of the body's data to `body`, and says whether the body is complete.
    mutating func decode(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int,
        into body: inout [UInt8],
        limits: WireLimits
    ) throws(WireRefusal) -> Bool {
        while state != .complete, position < input.count {
            if state == .data {
                let end = position + min(remaining, input.count - position)
                body += UnsafeRawBufferPointer(rebasing: input[position..<end])
                remaining -= end - position
                position = end
                if remaining == 0 { state = .dataCarriageReturn }
            } else {
                let byte = input[position]
                position += 1
                try step(byte, bodyBytesLeft: limits.bodyBytes - body.count)
                if metadataBytes > limits.chunkMetadataBytes {
                    throw WireRefusal(.headersTooLarge, "chunk extensions and trailers are too large")
                }
            }
        }
        return state == .complete
    }

    /// Takes one byte that is not data.
    private mutating func step(_ byte: UInt8, bodyBytesLeft: Int) throws(WireRefusal) {
        switch state {
        case .sizeStart, .size: try stepSize(byte, bodyBytesLeft: bodyBytesLeft)
        case .sizeExtension:
            metadataBytes += 1
            try stepLine(byte, staying: .sizeExtension, ending: .sizeLineFeed)
        case .sizeLineFeed: try expect(.lineFeed, byte, then: remaining == 0 ? .trailerStart : .data)
        case .dataCarriageReturn: try expect(.carriageReturn, byte, then: .dataLineFeed)
        case .dataLineFeed: try expect(.lineFeed, byte, then: .sizeStart)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed:
            metadataBytes += 1
            try stepTrailer(byte)
        case .lastLineFeed: try expect(.lineFeed, byte, then: .complete)
        case .data, .complete: preconditionFailure("these states take no single byte")
        }
    }

    private mutating func stepSize(_ byte: UInt8, bodyBytesLeft: Int) throws(WireRefusal) {
        if state == .sizeStart {
            remaining = 0
            sizeDigits = 0
        }
        switch byte {
        case .carriageReturn where state == .size: state = .sizeLineFeed
        case UInt8(ascii: ";") where state == .size: state = .sizeExtension
        default:
            guard let digit = byte.hexDigitValue, sizeDigits < Self.maximumSizeDigits else {
                throw .malformed("a chunk's size is malformed")
            }
            state = .size
            sizeDigits += 1
            // Checked at every digit, and a limit is far from what an Int holds: sixteen times a size within it fits.
            remaining = remaining * 16 + Int(digit)
            guard remaining <= bodyBytesLeft else { throw .bodyTooLarge }
        }
    }

    private mutating func stepTrailer(_ byte: UInt8) throws(WireRefusal) {
        switch state {
        case .trailerStart where byte == .carriageReturn: state = .lastLineFeed
        case .trailerStart where ByteSet.token.contains(byte): state = .trailerName
        case .trailerName where ByteSet.token.contains(byte): break
        case .trailerName where byte == UInt8(ascii: ":"): state = .trailerValue
        case .trailerValue: try stepLine(byte, staying: .trailerValue, ending: .trailerLineFeed)
        case .trailerLineFeed: try expect(.lineFeed, byte, then: .trailerStart)
        default: throw .malformed("a trailer field is malformed")
        }
    }

    private mutating func stepLine(_ byte: UInt8, staying: State, ending: State) throws(WireRefusal) {
        if byte == .carriageReturn {
            state = ending
        } else if byte.isControl {
            throw .malformed("a control character in a chunk's extension or trailer")
        } else {
            state = staying
        }
    }

    private mutating func expect(_ expected: UInt8, _ byte: UInt8, then next: State) throws(WireRefusal) {
        guard byte == expected else { throw .malformed("a chunk's line or data does not end in CRLF") }
        state = next
    }
}
