internal import Logging
internal import TokenBroker

extension AuditEvent {
    /// The one line of the event in the journal.
    func log(to logger: Logger) {
        logger.log(kind == .gap ? .warning : .info, message, metadata)
    }

    private var message: StaticString {
        switch kind {
        case .mint: "Mint"
        case .forcedMint: "Forced mint"
        case .denial: subject == nil && action == Self.administration ? "Administration denied" : "Token denied"
        case .monitored: "Request monitored"
        case .secret: "Secret step"
        case .device: "Device"
        case .reload, .operation: "Operator action"
        case .gap: "Audit log has a gap"
        }
    }

    /// What is denied to those who may not use the admin socket.
    static let administration = "admin"

    private var metadata: LogMetadata {
        var metadata: LogMetadata = [.action: .string(action)]
        if let subject { metadata[subjectKey] = .string(subject) }
        metadata[.outcome] = .string(outcome)
        if let detail { metadata[.reason] = .string(detail) }
        if let actor {
            metadata[.peerUID] = LogValue(actor.uid)
            metadata[.peerPID] = LogValue(actor.pid)
        }
        if let unit = actor?.unit { metadata[.peerUnit] = .string(unit) }
        if count != 1 { metadata[.count] = LogValue(count) }
        return metadata
    }

    private var subjectKey: LogKey {
        switch kind {
        case .mint, .forcedMint, .denial: .token
        case .monitored: .route
        case .secret: .secret
        case .device: .device
        case .reload, .operation, .gap: .subject
        }
    }
}
