/// What an answer's body is turned into.
enum BodyForm: String, CaseIterable {
    /// An HTML page, as a proxy in front of the service would send it.
    case html
    /// No byte at all.
    case empty
    /// The first half.
    case truncated
    /// A byte in it that no UTF-8 text has.
    case nonUTF8 = "non_utf8"
    /// A byte order mark before it.
    case byteOrderMark = "bom"
    /// White space behind it, up to `oversized_bytes`: still a valid document, only a large one.
    case oversized

    /// More than any reader of a token answer should take.
    static let defaultOversizedBytes = 8 * 1024 * 1024

    func applied(to body: [UInt8], oversizedBytes: Int) -> [UInt8] {
        switch self {
        case .html: return Array("<!DOCTYPE html>\n<html><body><h1>Something went wrong</h1></body></html>\n".utf8)
        case .empty: return []
        case .truncated: return Array(body.prefix(body.count / 2))
        case .nonUTF8:
            // Inside the first string where there is one, so that nothing but the encoding is wrong.
            let index = body.firstIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? 0
            return body[..<index] + [0xFF] + body[index...]
        case .byteOrderMark: return [0xEF, 0xBB, 0xBF] + body
        case .oversized: return body + repeatElement(UInt8(ascii: " "), count: max(oversizedBytes - body.count, 0))
        }
    }
}
