internal import Logging
internal import TokenBroker

/// Brings the device policy up to date, out of the store and with the configuration, and says in the log what came of it.
struct PolicyReader: Sendable {
    let policies: DevicePolicies
    let logger: Logger

    func read() async {
        let before = policies.inForce
        await policies.read()
        let now = policies.inForce
        guard now != before else { return }
        if !complain(of: now), now.source == .stored {
            logger.notice("Device policy read", [.revision: LogValue(now.revision)])
        }
    }

    /// The configuration is another one. To be called before its routes are served.
    func follow(_ definition: BrokerDefinition) {
        let before = policies.inForce.obstacle
        policies.definitionChanged(definition)
        let now = policies.inForce
        if now.obstacle != before { complain(of: now) }
    }

    /// - Returns: whether there is anything to complain of.
    @discardableResult
    private func complain(of policy: DevicePolicyInForce) -> Bool {
        guard let obstacle = policy.obstacle else { return false }
        logger.error("routes with a device gate are closed, whatever was set", [.errorDetail: .string(obstacle)])
        return true
    }
}
