extension HeaderFields {
    /// Finds the fields of a head that ``HeadReader`` has delimited: every line ends in CRLF, an empty one ends the head,
    /// and no line has a control character in it.
    ///
    /// - Parameter start: where the line after the request or status line begins.
    init(parsing head: [UInt8], from start: Int, limits: WireLimits) throws(WireRefusal) {
        let bytes = head.span
        var entries: [Entry] = []
        entries.reserveCapacity(8)
        let token = ByteSet.token
        var index = start
        while bytes[index] != .carriageReturn {
            let nameStart = index
            while token.contains(bytes[index]) { index += 1 }
            guard bytes[index] == UInt8(ascii: ":"), index > nameStart else {
                throw Self.refusal(forByte: bytes[index], atLineStart: index == nameStart)
            }
            let nameEnd = index
            index += 1
            while bytes[index].isBlank { index += 1 }
            let valueStart = index
            index = bytes.firstIndex(of: .carriageReturn, in: index..<bytes.count) ?? bytes.count
            var valueEnd = index
            while valueEnd > valueStart, bytes[valueEnd - 1].isBlank { valueEnd -= 1 }
            guard entries.count < limits.headerCount else {
                throw WireRefusal(.headersTooLarge, "too many header fields")
            }
            entries.append(
                Entry(
                    name: UInt32(nameStart)..<UInt32(nameEnd),
                    value: UInt32(valueStart)..<UInt32(valueEnd)
                )
            )
            index += 2
        }
        self.head = head
        self.entries = entries
    }

    private static func refusal(forByte byte: UInt8, atLineStart: Bool) -> WireRefusal {
        switch (byte, atLineStart) {
        case (UInt8(ascii: ":"), true): .malformed("a header field has no name")
        case (UInt8(ascii: " "), true), (UInt8(ascii: "\t"), true): .malformed("a header field is folded over lines")
        case (UInt8(ascii: " "), false), (UInt8(ascii: "\t"), false): .malformed("white space before a header's colon")
        case (.carriageReturn, false): .malformed("a header field has no colon")
        default: .malformed("a header field's name is not a token")
        }
    }
}
