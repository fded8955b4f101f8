/// What the configuration says of the gates.
struct FileDevicePolicy {
    let routes: Set<Name>
    /// Of the routes that have a `devices:` key.
    let modes: [Name: DeviceMode]
    let apps: [DeviceApp]

    init(_ definition: BrokerDefinition) {
        routes = Set(definition.routes.keys)
        modes = definition.routes.compactMapValues(\.devices)
        apps = definition.devices.apps
    }
}
