internal import Synchronization
internal import TokenBroker

/// The device policy of the configuration alone.
final class ConfiguredDevicePolicy: DevicePolicySource {
    private let definition: Mutex<BrokerDefinition>

    init(_ definition: BrokerDefinition) {
        self.definition = Mutex(definition)
    }

    func definitionChanged(_ new: BrokerDefinition) {
        definition.withLock { $0 = new }
    }

    func mode(of route: Name) -> DeviceMode {
        definition.withLock { $0.routes[route]?.devices ?? .off }
    }

    var apps: [DeviceApp] { definition.withLock { $0.devices.apps } }
}

/// Nothing is written down yet.
struct NoAuditLog: AuditLog {
    func record(_ event: AuditEvent) {}
}
