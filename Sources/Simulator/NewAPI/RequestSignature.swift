internal import HTTPWire

/// The signature of a request, as its header fields have it. Method, path and query are not signed.
struct RequestSignature {
    let bundle: String
    let device: String
    let timestamp: String
    let nonce: String
    let text: String

    /// Takes the fields, each of which has to be there once.
    init(_ request: HTTPRequest) throws(NewAPIRefusal) {
        func value(_ name: String, orThrow refusal: NewAPIRefusal) throws(NewAPIRefusal) -> String {
            let values = request.headers.values(name)
            guard values.count == 1, let value = values.first, !value.isEmpty else { throw refusal }
            return value
        }
        bundle = try value("X-Bundle-Id", orThrow: .missingBundle)
        device = try value("X-Device-Id", orThrow: .missingDevice)
        timestamp = try value("X-Timestamp", orThrow: .staleTimestamp)
        nonce = try value("X-Nonce", orThrow: .invalidSignature)
        text = try value("X-Signature", orThrow: .invalidSignature)
    }

    /// Whether this is the signature of the body under the key's text.
    func matches(_ body: [UInt8], keyText: String) -> Bool {
        let key = Digest.sha256(Array((keyText + bundle + device).utf8))
        let message = [timestamp, nonce, Digest.sha256(body).hexadecimal].joined(separator: "\n")
        return text == Base64.encoded(Digest.authenticationCode(key: key, of: Array(message.utf8)))
    }

    /// The instant that the timestamp means; nil where it is no whole number, or beyond all calendars.
    func milliseconds(_ unit: TimestampUnit) -> Int64? {
        guard timestamp.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(timestamp), number < Int64.max / 10_000
        else { return nil }
        return unit == .seconds ? number * 1000 : number
    }
}

/// What the relay takes a timestamp to count.
enum TimestampUnit: String, CaseIterable {
    case seconds, milliseconds
}

/// The text of the key that signatures are derived from.
enum SigningKeyText: String, CaseIterable {
    /// With its `sk-`.
    case asIs = "as-is"
    case withoutPrefix = "without-prefix"
}
