internal import Synchronization

/// The device policy in force: the configuration's, and over it what operators have set, which the store keeps.
///
/// The stricter of the two modes holds for each route, and the apps that were set take the place of the file's. Where it
/// cannot be known what was set, every route with a gate enforces: a lost store must not open a gate that somebody closed.
public final class DevicePolicies: DevicePolicySource {
    /// Says whether a record that is not there may have been lost: it is there and does not decrypt, or an earlier store was
    /// put aside.
    public typealias LossCheck = @Sendable (RecordID) async throws(StoreError) -> Bool

    struct State {
        var file: FileDevicePolicy
        var stored: StoredDevicePolicy
        /// Of the record; nil where there is none.
        var version: RecordVersion?
        private(set) var inForce: DevicePolicyInForce

        init(file: FileDevicePolicy, stored: StoredDevicePolicy) {
            self.file = file
            self.stored = stored
            inForce = DevicePolicyInForce(file, stored, nil)
        }

        mutating func settle() {
            inForce = DevicePolicyInForce(file, stored, version)
        }
    }

    let store: (any Store)?
    let mayBeLost: LossCheck
    let state: Mutex<State>

    /// With a store nobody knows what was set until it was read (``read()``).
    ///
    /// - Parameter store: nil where the configuration has none: then nothing can be set.
    public init(
        _ definition: BrokerDefinition,
        store: (any Store)?,
        mayBeLost: @escaping LossCheck = { _ in false }
    ) {
        self.store = store
        self.mayBeLost = mayBeLost
        let stored = store == nil ? StoredDevicePolicy.known(DevicePolicy()) : .unknown("it was not read yet")
        state = Mutex(State(file: FileDevicePolicy(definition), stored: stored))
    }

    /// The configuration is another one. To be called before its routes are served.
    public func definitionChanged(_ definition: BrokerDefinition) {
        state.withLock { state in
            state.file = FileDevicePolicy(definition)
            state.settle()
        }
    }

    public var inForce: DevicePolicyInForce { state.withLock { $0.inForce } }

    /// A route that is not known here enforces: whoever asks knows of a newer configuration.
    public func mode(of route: Name) -> DeviceMode {
        state.withLock { $0.inForce.routes[route]?.mode ?? .enforce }
    }

    public var apps: [DeviceApp] { state.withLock { $0.inForce.apps } }
}
