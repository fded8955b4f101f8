internal import HTTPWire
internal import JSON

extension HTTPResponse {
    init(status: Int = 200, json: JSONValue) {
        self.init(status: status, headers: [.jsonType, .noStore], body: json.serialized())
    }
}
