internal import JSON

/// A caller's mistake, in words for the caller.
struct InvalidRequest: Error {
    let detail: String
    /// Whether what is wrong is that nobody named the end user.
    let lacksUser: Bool

    init(_ detail: String, lacksUser: Bool = false) {
        self.detail = detail
        self.lacksUser = lacksUser
    }

    /// - Parameter known: the parameters there are.
    static func unknownParameter(_ known: String) -> InvalidRequest {
        InvalidRequest("there is a parameter that this version does not know; it knows \(known)")
    }
}

extension JSONObject {
    init(requestBody body: [UInt8]) throws(InvalidRequest) {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: body)
        } catch {
            throw InvalidRequest("the body is not JSON: \(error)")
        }
        guard let object = document.object else { throw InvalidRequest("the body is not a JSON object") }
        self = object
    }
}
