internal import Digests
internal import JSON
internal import TokenBroker

/// The JSON object that a check of a device is given.
struct DeviceInput {
    private let object: JSONObject

    /// - Parameter names: every member there may be. Others are refused: a misspelt `at` would silently mean now.
    init(_ bytes: [UInt8], names: Set<String>) throws(DeviceVerdict) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: bytes)
        } catch {
            throw .unreadable(error.description)
        }
        guard let object = document.object else { throw .unreadable("the input is not a JSON object") }
        if let unknown = object.members.first(where: { !names.contains($0.name) }) {
            throw .unreadable("the input has an unknown member" + (Quotation(unknown.name).map { " \($0)" } ?? ""))
        }
        self.object = object
    }

    /// The member, where it is there.
    subscript(name: String) -> JSONValue? { object[name] }

    func text(_ name: String) throws(DeviceVerdict) -> String {
        guard let text = object[name]?.string else { throw .unreadable("'\(name)' is missing, or is not a string") }
        return text
    }

    /// The bytes of a member in base64, in every form in which the gate takes it.
    ///
    /// - Parameter reason: what is wrong with the device's answer where the text is not base64; nil where it is only
    ///   the input that is wrong.
    func bytes(_ name: String, orElse reason: String? = nil) throws(DeviceVerdict) -> [UInt8] {
        let text = try text(name)
        if let bytes = Base64.lenientBytes(text) { return bytes }
        let detail = "'\(name)' is not base64"
        throw reason.map { DeviceVerdict(invalid: $0, detail) } ?? .unreadable(detail)
    }
}
