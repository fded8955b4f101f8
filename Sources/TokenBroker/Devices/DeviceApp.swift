/// An app whose devices are accepted.
public struct DeviceApp: Hashable, Sendable {
    /// Team identifier and bundle identifier: `TEAMID.com.example.app`.
    public let appID: String
    public let environments: Set<AttestEnvironment>

    public init(appID: String, environments: Set<AttestEnvironment> = [.production]) {
        self.appID = appID
        self.environments = environments
    }
}
