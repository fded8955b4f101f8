/// What the configuration says of devices, beside what it says of each route.
public struct DeviceSettings: Hashable, Sendable {
    /// The apps whose devices are accepted, in the file's order, each id once.
    public let apps: [DeviceApp]
    /// The PEM text of the one certificate that takes the place of Apple's root, for simulated devices.
    public let rootCertificate: String?
    /// Where the address of a client stands that comes through a proxy; nil where nothing says it.
    public let clientAddress: ClientAddressSource?

    public init(
        apps: [DeviceApp] = [],
        rootCertificate: String? = nil,
        clientAddress: ClientAddressSource? = nil
    ) {
        self.apps = apps
        self.rootCertificate = rootCertificate
        self.clientAddress = clientAddress
    }
}
