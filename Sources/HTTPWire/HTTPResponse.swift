/// An answer to send. The encoder adds what frames it: `Content-Length` and `Connection`.
public struct HTTPResponse: Sendable {
    /// A final status, 200 to 599.
    public let status: Int
    public var headers: [HeaderField]
    public var body: [UInt8]

    public init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "no final HTTP status")
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The interim answer for ``RequestParser/Event/continueExpected``.
    public static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The answer as bytes. It says HTTP/1.1 to every client, as RFC 9110 section 6.2 advises.
    ///
    /// - Parameters:
    ///   - version: the request's; it decides what has to be said about the connection.
    ///   - keepsAlive: whether the connection will be left open.
    ///   - includesBody: false for the answer to HEAD, which has the length of the body and not the body. The answers
    ///     204 and 304 never have either.
    public func encoded(version: HTTPVersion, keepsAlive: Bool, includesBody: Bool = true) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256 + body.count)
        output.append("HTTP/1.1 ")
        output += String(status).utf8
        output.append(" ")
        output.append(Self.reasonPhrase(status))
        output.append("\r\n")
        for field in headers { output.appendField(field.name, field.value) }
        // Said in both versions: the status line says HTTP/1.1, whose connections stay open unless told otherwise.
        if !keepsAlive {
            output.appendField("Connection", "close")
        } else if version == .http10 {
            output.appendField("Connection", "keep-alive")
        }
        let mayHaveBody = status != 204 && status != 304
        if mayHaveBody { output.appendField("Content-Length", String(body.count)) }
        output.append("\r\n")
        if mayHaveBody, includesBody { output += body }
        return output
    }
}

extension HTTPResponse {
    /// The phrase of RFC 9110 section 15 for the statuses that are used; empty for others, which is allowed.
    static func reasonPhrase(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
