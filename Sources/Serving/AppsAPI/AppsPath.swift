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
        } else {
            return nil
        }
    }

    var methods: AllowedMethods {
        switch self {
        case .health, .whoami, .tokens: .read
        case .token: .readOrPost
        case .rejected: .post
        }
    }
}

/// The methods that a path takes.
enum AllowedMethods: String {
    case read = "GET, HEAD"
    case readOrPost = "GET, HEAD, POST"
    case post = "POST"
    case delete = "DELETE"

    /// The value of the `Allow` header.
    var allow: String { rawValue }

    func contains(_ method: HTTPMethod) -> Bool {
        switch method {
        case .get, .head: self == .read || self == .readOrPost
        case .post: self == .post || self == .readOrPost
        case .delete: self == .delete
        case .put, .other: false
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
