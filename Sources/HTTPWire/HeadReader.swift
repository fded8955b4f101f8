/// Delimits a message's head in bytes that come in pieces of any size, and refuses at the first byte that no head may
/// hold: bare LF and CR, and control characters.
///
/// A head that lies whole in the caller's buffer is copied once. Only a head that comes in pieces is collected here, and
/// each byte is looked at once, so a byte at a time costs no more than all at once.
struct HeadReader {
    private var collected: [UInt8] = []
    /// Bytes since the last line feed.
    private var lineLength = 0
    private var endsWithCarriageReturn = false
    private var emptyLines = 0

    /// No byte of a head has been seen.
    var isIdle: Bool { collected.isEmpty }

    /// How many bytes are held.
    var bufferedBytes: Int { collected.count }

    /// The head through its empty line, or nil when all input has been taken and the head is not whole.
    mutating func next(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int,
        limits: WireLimits
    ) throws(WireRefusal) -> [UInt8]? {
        while true {
            let start = position
            let end = min(input.count, start + limits.headBytes - collected.count)
            guard try findEnd(input, &position, before: end) else {
                if end < input.count { throw WireRefusal(.headersTooLarge, "the head is too large") }
                collected += input[start..<end]
                return nil
            }
            // A head of two bytes is an empty line before the request.
            guard collected.count + position - start == 2 else {
                emptyLines = 0
                return takeHead(appending: input[start..<position])
            }
            collected = []
            emptyLines += 1
            if emptyLines > limits.leadingEmptyLines { throw .malformed("empty lines before the message") }
        }
    }

    /// Moves `position` behind the empty line that ends the head, or to `end`, and says which.
    private mutating func findEnd(
        _ input: UnsafeRawBufferPointer,
        _ position: inout Int,
        before end: Int
    ) throws(WireRefusal) -> Bool {
        while position < end {
            let byte = input[position]
            position += 1
            if byte == .lineFeed {
                guard endsWithCarriageReturn else { throw .malformed("a bare LF in the head") }
                let isEmpty = lineLength == 1
                lineLength = 0
                endsWithCarriageReturn = false
                if isEmpty { return true }
            } else {
                let isCarriageReturn = byte == .carriageReturn
                if endsWithCarriageReturn { throw .malformed("a bare CR in the head") }
                if byte.isControl, !isCarriageReturn { throw .malformed("a control character in the head") }
                endsWithCarriageReturn = isCarriageReturn
                lineLength += 1
            }
        }
        return false
    }

    private mutating func takeHead(appending rest: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        if collected.isEmpty { return Array(rest) }
        let head = collected + rest
        collected = []
        return head
    }
}
