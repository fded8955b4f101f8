internal import HTTPWire
internal import TokenBroker

/// A path of the admin socket, compared as bytes.
enum AdminPath {
    case status
    case health
    case readiness
    case metrics
    /// The status for a browser.
    case page
    case reload
    case token(Name?)
    case tokenRefresh(Name?)
    case audit
    case auditVerification

    init?(_ path: ArraySlice<UInt8>) {
        if path.elementsEqual("/v1/status".utf8) {
            self = .status
        } else if path.elementsEqual("/healthz".utf8) {
            self = .health
        } else if path.elementsEqual("/readyz".utf8) {
            self = .readiness
        } else if path.elementsEqual("/metrics".utf8) {
            self = .metrics
        } else if path.elementsEqual("/".utf8) {
            self = .page
        } else if path.elementsEqual("/v1/reload".utf8) {
            self = .reload
        } else if path.elementsEqual("/v1/audit".utf8) {
            self = .audit
        } else if path.elementsEqual("/v1/audit/verify".utf8) {
            self = .auditVerification
        } else if let segment = path.segment(after: "/v1/tokens/") {
            self = .token(Name(segment))
        } else if let segment = path.segment(after: "/v1/tokens/", before: "/refresh") {
            self = .tokenRefresh(Name(segment))
        } else {
            return nil
        }
    }

    var methods: AllowedMethods {
        switch self {
        case .status, .health, .readiness, .metrics, .page, .audit, .auditVerification: .read
        case .reload, .tokenRefresh: .post
        case .token: .delete
        }
    }

    var isOpenToObservers: Bool {
        switch self {
        case .status, .health, .readiness, .metrics, .page: true
        case .reload, .token, .tokenRefresh, .audit, .auditVerification: false
        }
    }
}
