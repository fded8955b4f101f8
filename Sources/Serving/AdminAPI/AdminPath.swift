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
    /// What the daemon sees of itself and of its providers, for `tokenbroker doctor`.
    case examination
    case token(Name?)
    case tokenRefresh(Name?)
    case devices
    case device(DeviceID)
    case devicePolicy
    case secrets
    case secret(SecretAction, Name?)
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
        } else if path.elementsEqual("/v1/device-policy".utf8) {
            self = .devicePolicy
        } else if path.elementsEqual("/v1/examination".utf8) {
            self = .examination
        } else if path.elementsEqual("/v1/audit".utf8) {
            self = .audit
        } else if path.elementsEqual("/v1/audit/verify".utf8) {
            self = .auditVerification
        } else if let segment = path.segment(after: "/v1/tokens/") {
            self = .token(Name(segment))
        } else if let segment = path.segment(after: "/v1/tokens/", before: "/refresh") {
            self = .tokenRefresh(Name(segment))
        } else if path.elementsEqual("/v1/devices".utf8) {
            self = .devices
        } else if let segment = path.segment(after: "/v1/devices/") {
            self = .device(DeviceID(segment))
        } else if path.elementsEqual("/v1/secrets".utf8) {
            self = .secrets
        } else if let (segment, rest) = path.segmentAndRest(after: "/v1/secrets/"),
            let action = SecretAction(path: rest)
        {
            self = .secret(action, Name(segment))
        } else {
            return nil
        }
    }

    var methods: AllowedMethods {
        switch self {
        case .status, .health, .readiness, .metrics, .page, .secrets, .audit, .auditVerification, .devices: .read
        case .reload, .examination, .tokenRefresh, .secret: .post
        case .token, .device: .delete
        case .devicePolicy: .readOrReplace
        }
    }

    var isOpenToObservers: Bool {
        switch self {
        case .status, .health, .readiness, .metrics, .page: true
        case .reload, .examination, .token, .tokenRefresh, .secrets, .secret, .audit, .auditVerification: false
        case .devices, .device, .devicePolicy: false
        }
    }
}
