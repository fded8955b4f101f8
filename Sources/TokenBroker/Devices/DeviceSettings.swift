/// What the configuration says of devices, beside what it says of each route.
public struct DeviceSettings: Hashable, Sendable {
    /// The apps whose devices are accepted, in the file's order, each id once.
    public let apps: [DeviceApp]
    /// The PEM text of the one certificate that takes the place of Apple's root, for simulated devices.
    public let rootCertificate: String?

    public init(apps: [DeviceApp] = [], rootCertificate: String? = nil) {
        self.apps = apps
        self.rootCertificate = rootCertificate
    }
}
