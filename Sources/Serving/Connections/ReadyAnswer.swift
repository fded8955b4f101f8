internal import HTTPWire

/// An answer with the bytes that most callers get: HTTP/1.1, keep-alive, with the body.
final class ReadyAnswer {
    let response: HTTPResponse
    let bytes: [UInt8]

    init(_ response: HTTPResponse) {
        self.response = response
        bytes = response.encoded(version: .http11, keepsAlive: true)
    }

    func bytes(for request: HTTPRequest, keepsAlive: Bool) -> [UInt8] {
        isReady(for: request, keepsAlive: keepsAlive) ? bytes : response.bytes(for: request, keepsAlive: keepsAlive)
    }

    /// Whether ``bytes`` are what this request gets, and not the form that another version or method has.
    func isReady(for request: HTTPRequest, keepsAlive: Bool) -> Bool {
        request.version == .http11 && keepsAlive && request.method != .head
    }
}

extension HTTPResponse {
    func bytes(for request: HTTPRequest, keepsAlive: Bool) -> [UInt8] {
        encoded(version: request.version, keepsAlive: keepsAlive, includesBody: request.method != .head)
    }
}
