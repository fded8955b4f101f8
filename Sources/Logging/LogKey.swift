/// Every key a record may carry; one enum, so that a search finds all records about the same fact.
public enum LogKey: String, Sendable, CaseIterable {
    // What it is about.
    case token
    case provider
    case secret
    case secretVersion = "secret.version"
    case generation
    case revision
    case route
    case device
    case subject
    case endUser = "end_user"

    // Who asked.
    case peerUID = "peer.uid"
    case peerPID = "peer.pid"
    case peerUnit = "peer.unit"
    case principal
    case grant

    // What was asked, and what came of it.
    case action
    case method
    case path
    case endpoint
    case status
    case outcome
    case reason
    case errorCode = "error.code"
    case errorDetail = "error.detail"
    case errorNumber = "error.number"
    case providerStatus = "provider.status"
    case providerCode = "provider.code"
    case providerRequestID = "provider.request_id"

    // When and how much.
    case expiresAt = "expires_at"
    case refreshAt = "refresh_at"
    case retryAfter = "retry_after"
    case duration = "duration_ms"
    case skew = "skew_ms"
    case attempt
    case count
    case limit

    // The process itself.
    case version
    case signal
    case socket
    case descriptor
    case step
    case user
    case level
    case state
    case storePath = "store.path"
    case auditHead = "audit.head"
    case configPath = "config.path"
}
