internal import CCurl
internal import Glibc
internal import TokenBroker

/// Request headers as libcurl takes them; overwritten and freed with this object.
final class HeaderList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [UpstreamRequest.Header]) throws(UpstreamFailure) {
        for header in headers {
            try append(header)
        }
    }

    deinit {
        var node = pointer
        while let current = node {
            if let text = current.pointee.data { explicit_bzero(text, strlen(text)) }
            node = current.pointee.next
        }
        curl_slist_free_all(pointer)
    }

    private func append(_ header: UpstreamRequest.Header) throws(UpstreamFailure) {
        guard !header.name.isEmpty, header.name.utf8.allSatisfy(isTokenByte) else {
            throw UpstreamFailure(.invalidRequest, "a request header's name has a byte that none may have")
        }
        switch header.value {
        case .text(let text):
            try append(name: header.name, scheme: "", value: Array(text.utf8))
        case .bearer(let secret): try append(name: header.name, scheme: "Bearer ", value: secret)
        case .secret(let secret): try append(name: header.name, scheme: "", value: secret)
        }
    }

    private func append(name: String, scheme: String, value: Secret) throws(UpstreamFailure) {
        try value.withBytes { bytes throws(UpstreamFailure) in
            try append(name: name, scheme: scheme, value: bytes)
        }
    }

    /// - Parameter value: refused when empty, because libcurl takes a header without a value as the wish to leave it out,
    ///   and with a control byte, because a line end would begin another header.
    private func append(
        name: String,
        scheme: String,
        value: some Collection<UInt8>
    ) throws(UpstreamFailure) {
        guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw UpstreamFailure(.invalidRequest, "the request header \(name) has a byte that no value may have")
        }
        let start = "\(name): \(scheme)".utf8
        let line = WipedBuffer(count: start.count + value.count + 1)
        line.bytes.copyBytes(from: start)
        UnsafeMutableRawBufferPointer(rebasing: line.bytes[start.count...]).copyBytes(from: value)
        line.bytes[line.bytes.count - 1] = 0
        guard let extended = curl_slist_append(pointer, line.bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        else {
            throw UpstreamFailure(.other, "libcurl has no memory for a header")
        }
        pointer = extended
    }
}

/// RFC 9110 §5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default:
        "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
