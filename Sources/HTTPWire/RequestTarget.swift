/// Where the parts of a request target lie in its head (RFC 9112 section 3.2). Nothing is decoded.
struct RequestTarget: Sendable {
    let whole: Range<Int>
    /// Empty for an absolute target without a path, which stands for `/`.
    let path: Range<Int>
    let query: Range<Int>?
    /// Of an absolute target, host and port.
    let authority: Range<Int>?

    /// Takes origin form (`/path?query`), absolute form (`http://host/path`, which RFC 9112 section 3.2.2 requires every
    /// server to accept) and, for OPTIONS, `*`. A fragment has no place in a request and is refused, as is user
    /// information, which only serves to mislead (RFC 9110 section 4.2.4).
    ///
    /// - Parameter whole: a range of ``ByteSet/target`` bytes alone.
    init(parsing head: Span<UInt8>, _ whole: Range<Int>, method: HTTPMethod) throws(WireRefusal) {
        guard !whole.isEmpty else { throw .malformed("the target is empty") }
        self.whole = whole
        var pathStart = whole.lowerBound
        if head[pathStart] == UInt8(ascii: "/") || (method == .other("OPTIONS") && head.equals("*", in: whole)) {
            authority = nil
        } else {
            let authority = try Self.authority(head, whole)
            self.authority = authority
            pathStart = authority.upperBound
        }
        let mark = head.firstIndex(of: UInt8(ascii: "?"), in: pathStart..<whole.upperBound)
        path = pathStart..<(mark ?? whole.upperBound)
        query = mark.map { $0 + 1..<whole.upperBound }
    }

    private static func authority(_ head: Span<UInt8>, _ whole: Range<Int>) throws(WireRefusal) -> Range<Int> {
        let schemeEnd = min((head.firstIndex(of: UInt8(ascii: "/"), in: whole) ?? 0) + 2, whole.upperBound)
        guard schemeEnd > whole.lowerBound,
            head.equals("http://", in: whole.lowerBound..<schemeEnd)
                || head.equals("https://", in: whole.lowerBound..<schemeEnd)
        else { throw .malformed("the target is neither a path nor a URL") }
        let end = head.end(of: .host, in: schemeEnd..<whole.upperBound)
        let isEnded = end == whole.upperBound || head[end] == UInt8(ascii: "/") || head[end] == UInt8(ascii: "?")
        guard end > schemeEnd, isEnded else { throw .malformed("the target's host is malformed") }
        return schemeEnd..<end
    }
}
