/// What operators have set at run time: some routes' modes, and perhaps the apps. Also a change to it, which has the same
/// form.
public struct DevicePolicy: Equatable, Sendable {
    /// Of the routes for which one was set.
    public var modes: [Name: DeviceMode]
    /// The apps in place of the file's; nil for the file's.
    public var apps: [DeviceApp]?

    public init(modes: [Name: DeviceMode] = [:], apps: [DeviceApp]? = nil) {
        self.modes = modes
        self.apps = apps
    }

    /// Whether it says nothing, so that the file's word is all there is.
    public var isEmpty: Bool { modes.isEmpty && apps == nil }

    /// This policy with what `change` says; the rest of it stays.
    func changed(by change: DevicePolicy) -> DevicePolicy {
        DevicePolicy(modes: modes.merging(change.modes) { _, new in new }, apps: change.apps ?? apps)
    }
}
