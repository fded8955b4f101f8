public import TokenBroker

/// Writes mints down, and passes every event on.
///
/// A mint belongs to nobody: many callers share it, and most are made ahead of any. Of a token that is an end user's the
/// name alone is written, never whose it is. The lines in the journal are those of the event log, which say more.
public struct MintAudit: EventObserver {
    private let recorder: AuditRecorder
    private let next: any EventObserver

    public init(_ recorder: AuditRecorder, passingOnTo next: any EventObserver) {
        self.recorder = recorder
        self.next = next
    }

    public func observe(_ event: BrokerEvent) {
        switch event {
        case .minted(let key, let generation, let lifetime, let isForced):
            let kind = isForced ? AuditEvent.Kind.forcedMint : .mint
            let detail = "generation \(generation.number), for \(lifetime.wholeSeconds) s"
            recorder.keep(AuditEvent(kind, "mint", of: key.name.text, detail: detail))
        case .noProgress(let key):
            recorder.keep(AuditEvent(.mint, "mint", of: key.name.text, outcome: MintCounters.noProgress))
        case .mintFailed(let key, let failure, _, _, _):
            let code = failure.failureClass.code
            recorder.keep(AuditEvent(.mint, "mint", of: key.name.text, outcome: code, detail: failure.detail))
        case .lifetimeUnstated, .lifetimeCapped, .suspended, .dropped, .rejected, .secretStepped, .secretUnreadable:
            break
        }
        next.observe(event)
    }
}
