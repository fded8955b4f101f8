/// What a head says about where its message ends and whether another may follow (RFC 9112 section 6.3).
///
/// Where RFC 9112 lets a reader repair a contradiction, this one refuses: a proxy in front that repairs it in another
/// way would see other messages than we do.
struct FramingFields {
    /// Saturates far above every limit.
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var expectsContinue = false
    private(set) var hosts = 0
    private(set) var host: ArraySlice<UInt8> = []
    private var saysClose = false
    private var saysKeepAlive = false

    init(_ fields: HeaderFields, version: HTTPVersion) throws(WireRefusal) {
        for entry in fields.entries {
            let name = fields.bytes(entry.name)
            let value = fields.bytes(entry.value)
            switch name.count {
            case 4 where name.equalsIgnoringCase("host"):
                try addHost(value)
            case 6 where name.equalsIgnoringCase("expect"):
                // An expectation of another kind may be ignored (RFC 9110 section 10.1.1).
                expectsContinue = expectsContinue || value.equalsIgnoringCase("100-continue")
            case 10 where name.equalsIgnoringCase("connection"):
                addConnectionOptions(value)
            case 14 where name.equalsIgnoringCase("content-length"):
                try addContentLength(value)
            case 17 where name.equalsIgnoringCase("transfer-encoding"):
                try addTransferEncoding(value, version: version)
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

    private mutating func addHost(_ value: ArraySlice<UInt8>) throws(WireRefusal) {
        let allowed = ByteSet.host
        guard value.allSatisfy(allowed.contains) else { throw .malformed("the Host is malformed") }
        hosts += 1
        host = value
    }

    private mutating func addConnectionOptions(_ value: ArraySlice<UInt8>) {
        var rest = value
        while !rest.isEmpty {
            let option = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest[option.endIndex...].dropFirst()
            let name = option.trimmingBlanks
            if name.equalsIgnoringCase("close") { saysClose = true }
            if name.equalsIgnoringCase("keep-alive") { saysKeepAlive = true }
        }
    }

    private mutating func addContentLength(_ value: ArraySlice<UInt8>) throws(WireRefusal) {
        guard contentLength == nil else { throw .malformed("more than one Content-Length") }
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else { throw .malformed("the Content-Length is malformed") }
        var length = 0
        for digit in value {
            // A length beyond every limit stays beyond it, however many digits follow.
            length = min(length, .max / 10 - 1) * 10 + Int(digit - UInt8(ascii: "0"))
        }
        contentLength = length
    }

    private mutating func addTransferEncoding(_ value: ArraySlice<UInt8>, version: HTTPVersion) throws(WireRefusal) {
        guard version == .http11 else { throw .malformed("Transfer-Encoding in HTTP/1.0") }
        guard !isChunked, value.equalsIgnoringCase("chunked") else {
            throw .malformed("a Transfer-Encoding other than chunked")
        }
        isChunked = true
    }
}
