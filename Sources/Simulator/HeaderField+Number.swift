internal import HTTPWire

extension HeaderField {
    /// A field that says a number.
    static func number(_ name: StaticString, _ value: Int64) -> HeaderField {
        do throws(WireEncodingError) {
            return try HeaderField("\(name)", String(value))
        } catch {
            preconditionFailure("\(name): \(error)")
        }
    }
}
