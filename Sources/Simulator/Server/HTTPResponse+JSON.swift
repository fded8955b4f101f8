internal import HTTPWire
internal import JSON

extension HTTPResponse {
    /// An answer whose body is a JSON document.
    static func json(_ status: Int, _ body: JSONValue, headers: [HeaderField] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: [.json] + headers, body: body.serialized())
    }
}

extension HeaderField {
    static let json = HeaderField(constant: "Content-Type", "application/json")
}
