internal import HTTPWire

/// An answer with the bytes that most callers get: HTTP/1.1, keep-alive, with the body.
struct ReadyAnswer {
    let response: HTTPResponse
    let bytes: [UInt8]

    init(_ response: HTTPResponse) {
        self.response = response
        bytes = response.encoded(version: .http11, keepsAlive: true)
    }

    func bytes(for request: HTTPRequest, keepsAlive: Bool) -> [UInt8] {
        guard request.version == .http11, keepsAlive, request.method != .head else {
            return response.bytes(for: request, keepsAlive: keepsAlive)
        }
        return bytes
    }
}

extension HTTPResponse {
    func bytes(for request: HTTPRequest, keepsAlive: Bool) -> [UInt8] {
        encoded(version: request.version, keepsAlive: keepsAlive, includesBody: request.method != .head)
    }
}
