/// A request method. Methods are case-sensitive: `get` is not GET.
public enum HTTPMethod: Sendable, Equatable {
    case get
    case head
    case post
    case put
    case delete
    /// Any other method. Make it with ``init(_:)``, which never puts one of the cases above in here.
    case other(String)

    public init(_ name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "DELETE": self = .delete
        default: self = .other(name)
        }
    }

    /// The method as the request line has it.
    public var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .other(let name): name
        }
    }

    /// Takes the method of a request line, which the range holds alone.
    init(parsing head: Span<UInt8>, _ range: Range<Int>) {
        if range == 0..<3, head[0] == UInt8(ascii: "G"), head[1] == UInt8(ascii: "E"), head[2] == UInt8(ascii: "T") {
            // Nearly every request, without making text of it.
            self = .get
        } else {
            self.init(String(decoding: range.map { head[$0] }, as: UTF8.self))
        }
    }
}
