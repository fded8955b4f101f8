internal import HTTPWire

/// What a request was for, as metrics tell it: a few fixed names, and never anything that came from outside.
enum Endpoint: Int, CaseIterable {
    case token
    /// A caller that has a generation and waits for the next one: its time is its own choice and says nothing of ours.
    case tokenPoll
    case tokenRejected
    case tokenRefresh
    case tokens
    case authorize
    case forwardAuth
    case route
    /// A challenge or a registration of a device.
    case attest
    case whoami
    case health
    case readiness
    case status
    case metrics
    case page
    case audit
    case reload
    case secrets
    case devices
    /// A path of none of these forms.
    case other
    /// Nothing that could be read as a request, or a connection over its user's limit.
    case unread

    var label: String {
        switch self {
        case .tokenPoll: "token_poll"
        case .tokenRejected: "token_rejected"
        case .tokenRefresh: "token_refresh"
        case .forwardAuth: "forward_auth"
        default: "\(self)"
        }
    }

    /// By the path's form alone: whether there is such a token, or anything at all, is the answer's to say.
    init(_ path: ArraySlice<UInt8>) {
        self = path.withUnsafeBytes(Self.named)
    }

    private static func named(_ path: UnsafeRawBufferPointer) -> Endpoint {
        // The order is that of how often they are asked for.
        if path.begins("/v1/tokens/") {
            if path.ends("/rejected") { return .tokenRejected }
            return path.ends("/refresh") ? .tokenRefresh : .token
        }
        if path.begins("/v1/forward-auth/") { return .forwardAuth }
        if path.begins("/routes/") {
            if path.ends("/attest/challenge") || path.ends("/attest/register") { return .attest }
            return path.ends("/rejected") ? .tokenRejected : .route
        }
        if path.begins("/v1/authorize/") { return .authorize }
        for (name, endpoint) in whole where path.count == name.utf8CodeUnitCount && path.begins(name) {
            return endpoint
        }
        if path.begins("/v1/secrets/") { return .secrets }
        return path.begins("/v1/devices/") ? .devices : .other
    }

    private static let whole: [(StaticString, Endpoint)] = [
        ("/v1/tokens", .tokens), ("/healthz", .health), ("/readyz", .readiness), ("/v1/whoami", .whoami),
        ("/v1/status", .status), ("/metrics", .metrics), ("/", .page), ("/v1/audit", .audit),
        ("/v1/reload", .reload), ("/v1/secrets", .secrets), ("/v1/devices", .devices),
        ("/v1/device-policy", .devices),
    ]

    /// The same request when it has to wait for its answer.
    func waiting(_ headers: HeaderFields) -> Endpoint {
        self == .token && headers.first("if-none-match") != nil ? .tokenPoll : self
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func begins(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && equals(text, from: 0)
    }

    fileprivate func ends(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && equals(text, from: count - text.utf8CodeUnitCount)
    }

    private func equals(_ text: StaticString, from start: Int) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        for index in text.indices where self[start + index] != text[index] { return false }
        return true
    }
}
