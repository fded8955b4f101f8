import Synchronization
import TokenBroker

/// Keeps what is recorded.
final class FakeAudit: AuditLog {
    private let kept = Mutex<[AuditEvent]>([])

    var events: [AuditEvent] { kept.withLock { $0 } }
    func record(_ event: AuditEvent) { kept.withLock { $0.append(event) } }
}
