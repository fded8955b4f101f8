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

    /// Reads the method of a request line; nil where it is not a token.
    init?(parsing bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty, bytes.allSatisfy(ByteSet.token.contains) else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }
}
