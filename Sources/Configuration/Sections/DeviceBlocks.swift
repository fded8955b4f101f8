internal import TokenBroker

/// `devices:` of all files. Apps add up; everything else is said once.
struct DeviceBlocks {
    private var apps: [Field] = []
    private var settings: [String: Field] = [:]

    private static let settingKeys = ["root_ca_file"]

    mutating func add(_ section: Field?) {
        _ = section?.mapping { reader in
            apps += reader.optional("apps")?.list { $0 } ?? []
            for key in Self.settingKeys { take(reader.optional(key), as: key) }
        }
    }

    private mutating func take(_ field: Field?, as key: String) {
        guard let field else { return }
        if let earlier = settings[key] {
            field.refuseBlock("already set at \(earlier.place)")
        } else {
            settings[key] = field
        }
    }

    func read(_ files: FileRule) -> DeviceSettings {
        DeviceSettings(apps: readApps(), rootCertificate: settings["root_ca_file"]?.rootCertificate(files))
    }

    private func readApps() -> [DeviceApp] {
        var places: [String: String] = [:]
        return apps.compactMap { field in
            guard let app = field.deviceApp() else { return nil }
            if let place = places[app.appID] { return field.refusing("this app is already at \(place)") }
            places[app.appID] = field.place
            return app
        }
    }
}
