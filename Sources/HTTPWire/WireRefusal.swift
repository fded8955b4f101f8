/// Why a peer's bytes were refused. The connection is closed after it: where the next message begins is unknown.
public struct WireRefusal: Error, Sendable {
    public enum Code: Sendable {
        /// Not HTTP/1.1 as RFC 9112 has it, or something two readers could understand in two ways.
        case malformed
        /// The head is over ``WireLimits/headBytes`` or ``WireLimits/headerCount``.
        case headersTooLarge
        /// The body is over ``WireLimits/bodyBytes``, or says that it will be.
        case payloadTooLarge
        /// A well-formed message of another version of HTTP.
        case versionNotSupported
        /// The peer closed the connection inside an answer.
        case unexpectedEnd
    }

    public let code: Code
    /// What was wrong, for a log and for the peer; never holds what was sent.
    public let reason: StaticString

    init(_ code: Code, _ reason: StaticString) {
        self.code = code
        self.reason = reason
    }

    static func malformed(_ reason: StaticString) -> WireRefusal {
        WireRefusal(.malformed, reason)
    }

    static var bodyTooLarge: WireRefusal {
        WireRefusal(.payloadTooLarge, "the body is too large")
    }
}

/// Equal refusals have the same code.
extension WireRefusal: Equatable {
    public static func == (left: WireRefusal, right: WireRefusal) -> Bool {
        left.code == right.code
    }
}

extension WireRefusal: CustomStringConvertible {
    public var description: String { "\(reason)" }
}
