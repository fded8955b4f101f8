/// What the readers ask of the bytes they read. A span is checked at every access and, unlike a slice, costs no reference
/// count to pass on.
extension Span<UInt8> {
    /// The first place of that byte within the range, eight looked at at a time. The load checks its bounds; what is unsafe
    /// about it is only which type is made of the bytes, and every integer is good.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while range.upperBound - index >= 8 {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let others = EightBytes(loaded: word).count(before: byte)
            index += others
            if others < 8 { return index }
        }
        while index < range.upperBound {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// The first place within the range whose byte is not one of the set, or the range's end.
    func end(of set: ByteSet, in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, set.contains(self[index]) { index += 1 }
        return index
    }

    /// Whether every byte within the range is one of the set.
    func allSatisfy(_ set: ByteSet, in range: Range<Int>) -> Bool {
        end(of: set, in: range) == range.upperBound
    }

    /// Whether the bytes within the range are that text, without regard to the case of ASCII letters.
    func equals(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard range.count == text.count else { return false }
        for offset in 0..<text.count {
            let (left, right) = (self[range.lowerBound + offset], text[offset])
            if left != right, left.lowercased != right.lowercased { return false }
        }
        return true
    }

    func equals(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let pointer = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return equals(Span(_unsafeElements: pointer), in: range)
    }

    /// The range without spaces and tabs at its ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}
