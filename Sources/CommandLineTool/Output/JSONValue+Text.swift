internal import JSON

extension JSONValue {
    /// A scalar as text without quotes; nil for null, an array or an object.
    var scalarText: String? {
        switch self {
        case .string(let string): string
        case .number(let number): number.literal
        case .bool(let bool): bool ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    /// The document for `--json`: indented, and safe on a terminal.
    var report: Report {
        .text([PrintableText.escapedJSON(String(decoding: serialized(pretty: true), as: UTF8.self))])
    }
}
