internal import Logging
internal import TokenBroker

/// Reads the device policy out of the store, and says in the log what came of it.
struct PolicyReader: Sendable {
    let policies: DevicePolicies
    let logger: Logger

    func read() async {
        let before = policies.inForce
        await policies.read()
        let now = policies.inForce
        guard now != before else { return }
        if let obstacle = now.obstacle {
            logger.error("routes with a device gate enforce, whatever was set", [.errorDetail: .string(obstacle)])
        } else if now.source == .stored {
            logger.notice("Device policy read", [.revision: LogValue(now.revision)])
        }
    }
}
