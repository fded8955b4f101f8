/// Delimits a message's head in bytes that come in pieces of any size, and refuses at the first byte that no head may
/// hold: bare LF and CR, and control characters.
///
/// A head that lies whole in the caller's buffer is copied once. Only a head that comes in pieces is collected here, and
/// each byte is looked at once, so a byte at a time costs no more than all at once.
struct HeadReader {
    private enum State {
        case lineStart, line, carriageReturn, emptyLineCarriageReturn
    }

    /// What has come of a head that is not whole; after a refusal, through the byte that was refused.
    private(set) var collected: [UInt8] = []
    private var state = State.lineStart
    private var emptyLines = 0

    /// No byte of a head has been seen.
    var isIdle: Bool { collected.isEmpty }

    /// No byte of a head has been seen, nor an empty line before it.
    var isAtStart: Bool { collected.isEmpty && emptyLines == 0 }

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
            let isWhole: Bool
            do throws(WireRefusal) {
                isWhole = try findEnd(input, &position, before: end)
            } catch {
                collected += UnsafeRawBufferPointer(rebasing: input[start..<position])
                throw error
            }
            guard isWhole else {
                collected += UnsafeRawBufferPointer(rebasing: input[start..<end])
                if end < input.count { throw WireRefusal(.headersTooLarge, "the head is too large") }
                return nil
            }
            // A head of two bytes is an empty line before the request.
            guard collected.count + position - start == 2 else {
                emptyLines = 0
                return takeHead(appending: UnsafeRawBufferPointer(rebasing: input[start..<position]))
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
            switch (byte, state) {
            case (.lineFeed, .carriageReturn): state = .lineStart
            case (.lineFeed, .emptyLineCarriageReturn):
                state = .lineStart
                return true
            case (.lineFeed, _): throw .malformed("a bare LF in the head")
            case (_, .carriageReturn), (_, .emptyLineCarriageReturn): throw .malformed("a bare CR in the head")
            case (.carriageReturn, .lineStart): state = .emptyLineCarriageReturn
            case (.carriageReturn, .line): state = .carriageReturn
            case (_, _) where byte.isControl: throw .malformed("a control character in the head")
            case (_, .lineStart), (_, .line):
                state = .line
                position = Self.endOfPlainBytes(input, from: position, before: end)
            }
        }
        return false
    }

    /// The place of the next control character, or `end`. Nearly all of a head is passed over here, eight bytes at a time.
    private static func endOfPlainBytes(_ input: UnsafeRawBufferPointer, from start: Int, before end: Int) -> Int {
        var position = start
        while end - position >= 8 {
            let word = input.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let plain = EightBytes(loaded: word).countBeforeControl
            position += plain
            if plain < 8 { return position }
        }
        while position < end, input[position] >= 0x20, input[position] != 0x7F { position += 1 }
        return position
    }

    private mutating func takeHead(appending rest: UnsafeRawBufferPointer) -> [UInt8] {
        if collected.isEmpty { return Array(rest) }
        let head = collected + rest
        collected = []
        return head
    }
}
