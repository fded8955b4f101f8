internal import HTTPWire
internal import TokenBroker

/// A path of the apps socket, compared as bytes: nothing is decoded, folded or collapsed on the way.
enum AppsPath {
    case health
    case whoami
    case tokens
    /// nil: what stands there cannot be a token's name.
    case token(Name?)
    case rejected(Name?)
    case authorize(Name?)
    /// With what follows the name: the original path, which is only read as such.
    case forwardAuth(Name?, rest: ArraySlice<UInt8>)
    case route(Name?)
    case routeRejected(Name?)
    case attestChallenge(Name?)
    case attestRegister(Name?)

    init?(_ path: ArraySlice<UInt8>) {
        if path.elementsEqual("/healthz".utf8) {
            self = .health
        } else if path.elementsEqual("/v1/whoami".utf8) {
            self = .whoami
        } else if path.elementsEqual("/v1/tokens".utf8) {
            self = .tokens
        } else if let segment = path.segment(after: "/v1/tokens/") {
            self = .token(Name(segment))
        } else if let segment = path.segment(after: "/v1/tokens/", before: "/rejected") {
            self = .rejected(Name(segment))
        } else if let segment = path.segment(after: "/v1/authorize/") {
            self = .authorize(Name(segment))
        } else if let segment = path.segment(after: "/routes/") {
            self = .route(Name(segment))
        } else if let segment = path.segment(after: "/routes/", before: "/rejected") {
            self = .routeRejected(Name(segment))
        } else if let segment = path.segment(after: "/routes/", before: "/attest/challenge") {
            self = .attestChallenge(Name(segment))
        } else if let segment = path.segment(after: "/routes/", before: "/attest/register") {
            self = .attestRegister(Name(segment))
        } else if let (segment, rest) = path.segmentAndRest(after: "/v1/forward-auth/") {
            self = .forwardAuth(Name(segment), rest: rest)
        } else {
            return nil
        }
    }

    var methods: AllowedMethods {
        switch self {
        case .health, .whoami, .tokens, .route: .read
        case .token: .readOrPost
        case .rejected, .authorize, .routeRejected, .attestChallenge, .attestRegister: .post
        case .forwardAuth: .any
        }
    }

    /// For whom the answers at this path are.
    var audience: Problem.Audience {
        switch self {
        case .forwardAuth: .proxies
        case .route, .routeRejected, .attestChallenge, .attestRegister: .apps
        case .health, .whoami, .tokens, .token, .rejected, .authorize: .programs
        }
    }
}

/// The methods that a path takes.
enum AllowedMethods: String {
    case read = "GET, HEAD"
    case readOrPost = "GET, HEAD, POST"
    case post = "POST"
    case delete = "DELETE"
    case readOrReplace = "GET, HEAD, PUT, DELETE"
    case any = "any method"

    /// The value of the `Allow` header.
    var allow: String { rawValue }

    func contains(_ method: HTTPMethod) -> Bool {
        switch method {
        case _ where self == .any: true
        case .get, .head: self == .read || self == .readOrPost || self == .readOrReplace
        case .post: self == .post || self == .readOrPost
        case .put: self == .readOrReplace
        case .delete: self == .delete || self == .readOrReplace
        case .other: false
        }
    }
}

extension ArraySlice<UInt8> {
    /// What stands between `prefix` and `suffix`, on the terms of ``segment(after:)``.
    func segment(after prefix: StaticString, before suffix: StaticString) -> String? {
        let suffix = UnsafeBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount)
        guard self.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        return dropLast(suffix.count).segment(after: prefix)
    }

    /// The segment after `prefix`, on the same terms, and what follows it with its slash.
    func segmentAndRest(after prefix: StaticString) -> (String, ArraySlice<UInt8>)? {
        let tail = dropFirst(prefix.utf8CodeUnitCount)
        let whole = self[..<(tail.firstIndex(of: UInt8(ascii: "/")) ?? endIndex)]
        return whole.segment(after: prefix).map { ($0, dropFirst(whole.count)) }
    }

    /// What follows `prefix`, where it is one segment of the bytes that names are made of; nil otherwise, so that `..`,
    /// an empty segment and anything encoded are simply not there.
    func segment(after prefix: StaticString) -> String? {
        let prefix = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        guard starts(with: prefix) else { return nil }
        let segment = dropFirst(prefix.count)
        guard !segment.isEmpty, !segment.elementsEqual("..".utf8), segment.allSatisfy(\.isSegmentByte) else {
            return nil
        }
        return String(decoding: segment, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isSegmentByte: Bool {
        self != UInt8(ascii: "/") && self != UInt8(ascii: "%") && self != UInt8(ascii: "\\")
    }
}
