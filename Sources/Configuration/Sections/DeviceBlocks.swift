internal import TokenBroker

/// `devices:` of all files. Apps add up; everything else is said once.
struct DeviceBlocks {
    private var apps: [Field] = []
    private var settings: [String: Field] = [:]

    private static let settingKeys = ["root_ca_file", "client_address_header", "trusted_proxies"]

    /// One that is at fault counts: its own errors say enough.
    var namesApps: Bool { !apps.isEmpty }

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

    func read(_ files: FileRule, _ accounts: any Accounts) -> DeviceSettings {
        DeviceSettings(
            apps: readApps(),
            rootCertificate: settings["root_ca_file"]?.rootCertificate(files),
            clientAddress: readClientAddress(accounts)
        )
    }

    /// Either of the two keys alone says nothing: a header that nobody is believed in, or proxies that say nothing.
    private func readClientAddress(_ accounts: any Accounts) -> ClientAddressSource? {
        switch (settings["client_address_header"], settings["trusted_proxies"]) {
        case (let header?, let proxies?):
            let name = header.addressHeaderName()
            let principals = proxies.principals(accounts)
            guard let name, let principals else { return nil }
            return ClientAddressSource(header: name, trustedProxies: principals)
        case (let header?, nil):
            return header.refusingBlock("is believed from nobody: needs 'trusted_proxies' beside it")
        case (nil, let proxies?): return proxies.refusingBlock("say nothing: needs 'client_address_header' beside it")
        case (nil, nil): return nil
        }
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
