import Synchronization
import TokenBroker

/// A policy that a test changes.
final class FakePolicy: DevicePolicySource {
    private let state = Mutex<(mode: DeviceMode, apps: [DeviceApp])>((.enforce, [DeviceApp(appID: "TEAM.app")]))

    var apps: [DeviceApp] { state.withLock { $0.apps } }
    func mode(of route: Name) -> DeviceMode { state.withLock { $0.mode } }
    func accept(_ apps: [DeviceApp]) { state.withLock { $0.apps = apps } }
}
