/// What a head says about where its message ends and whether another may follow (RFC 9112 section 6.3).
///
/// Where RFC 9112 lets a reader repair a contradiction, this one refuses: a proxy in front that repairs it in another
/// way would see other messages than we do.
struct FramingFields: Sendable {
    /// Saturates far above every limit.
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var expectsContinue = false
    private(set) var hosts = 0
    private(set) var host = 0..<0
    private var saysClose = false
    private var saysKeepAlive = false

    init(_ fields: HeaderFields, version: HTTPVersion) throws(WireRefusal) {
        let head = fields.head.span
        let entries = fields.entries.span
        for index in entries.indices {
            let entry = entries[index]
            let name = Range(entry.name)
            let value = Range(entry.value)
            switch name.count {
            case 4 where head.equals("host", in: name):
                try addHost(head, value)
            case 6 where head.equals("expect", in: name):
                // An expectation of another kind may be ignored (RFC 9110 section 10.1.1).
                expectsContinue = expectsContinue || head.equals("100-continue", in: value)
            case 10 where head.equals("connection", in: name):
                addConnectionOptions(head, value)
            case 14 where head.equals("content-length", in: name):
                try addContentLength(head, value)
            case 17 where head.equals("transfer-encoding", in: name):
                try addTransferEncoding(head, value, version: version)
            default:
                break
            }
        }
        if isChunked, contentLength != nil { throw .malformed("both Content-Length and Transfer-Encoding") }
    }

    /// Whether the connection goes on after this message, as far as the peer is concerned.
    func keepsAlive(_ version: HTTPVersion) -> Bool {
        switch version {
        case .http11: !saysClose
        case .http10: saysKeepAlive && !saysClose
        }
    }

    private mutating func addHost(_ head: Span<UInt8>, _ value: Range<Int>) throws(WireRefusal) {
        guard head.allSatisfy(.host, in: value) else { throw .malformed("the Host is malformed") }
        hosts += 1
        host = value
    }

    private mutating func addConnectionOptions(_ head: Span<UInt8>, _ value: Range<Int>) {
        var start = value.lowerBound
        while start < value.upperBound {
            let end = head.firstIndex(of: UInt8(ascii: ","), in: start..<value.upperBound) ?? value.upperBound
            let option = head.trimmingBlanks(start..<end)
            if head.equals("close", in: option) { saysClose = true }
            if head.equals("keep-alive", in: option) { saysKeepAlive = true }
            start = end + 1
        }
    }

    private mutating func addContentLength(_ head: Span<UInt8>, _ value: Range<Int>) throws(WireRefusal) {
        guard contentLength == nil else { throw .malformed("more than one Content-Length") }
        guard !value.isEmpty, head.allSatisfy(.digit, in: value) else {
            throw .malformed("the Content-Length is malformed")
        }
        var length = 0
        for index in value {
            // A length beyond every limit stays beyond it, however many digits follow.
            length = min(length, .max / 10 - 1) * 10 + Int(head[index] - UInt8(ascii: "0"))
        }
        contentLength = length
    }

    private mutating func addTransferEncoding(_ head: Span<UInt8>, _ value: Range<Int>, version: HTTPVersion)
        throws(WireRefusal)
    {
        guard version == .http11 else { throw .malformed("Transfer-Encoding in HTTP/1.0") }
        guard !isChunked, head.equals("chunked", in: value) else {
            throw .malformed("a Transfer-Encoding other than chunked")
        }
        isChunked = true
    }
}
