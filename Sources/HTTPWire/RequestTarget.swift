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
    init(parsing head: [UInt8], _ whole: Range<Int>, method: HTTPMethod) throws(WireRefusal) {
        let target = head[whole]
        guard target.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .malformed("a byte in the target that no target has")
        }
        self.whole = whole
        var pathStart = whole.lowerBound
        if target.first == UInt8(ascii: "/") || (target.elementsEqual("*".utf8) && method == .other("OPTIONS")) {
            authority = nil
        } else {
            let authority = try Self.authority(of: target)
            self.authority = authority
            pathStart = authority.upperBound
        }
        if let mark = head[pathStart..<whole.upperBound].firstIndex(of: UInt8(ascii: "?")) {
            path = pathStart..<mark
            query = mark + 1..<whole.upperBound
        } else {
            path = pathStart..<whole.upperBound
            query = nil
        }
    }

    private static func authority(of target: ArraySlice<UInt8>) throws(WireRefusal) -> Range<Int> {
        let scheme = target.prefix { $0 != UInt8(ascii: "/") }
        guard scheme.equalsIgnoringCase("http:") || scheme.equalsIgnoringCase("https:"),
            target[scheme.endIndex...].starts(with: "//".utf8)
        else { throw .malformed("the target is neither a path nor a URL") }
        let allowed = ByteSet.host
        let authority = target[(scheme.endIndex + 2)...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.isEmpty, authority.allSatisfy(allowed.contains) else {
            throw .malformed("the target's host is malformed")
        }
        return authority.startIndex..<authority.endIndex
    }
}
