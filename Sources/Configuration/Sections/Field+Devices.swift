internal import TokenBroker

extension Field {
    /// An entry of `devices.apps`.
    func deviceApp() -> DeviceApp? {
        mapping { reader in
            let appID = reader.required("app_id")?.appID()
            // What Apple calls production is what the App Store and TestFlight install.
            let environments = reader.optional("environments").map { $0.environments() } ?? [.production]
            guard let appID, let environments else { return nil }
            return DeviceApp(appID: appID, environments: environments)
        }
    }

    private func appID() -> String? {
        let expectation = "an app id such as \(DeviceApp.appIDForm)"
        guard let text = text(expectation) else { return nil }
        return DeviceApp.isAppID(text) ? text : refusing("expected \(expectation)")
    }

    private func environments() -> Set<AttestEnvironment>? {
        guard let environments = list({ $0.choice(of: AttestEnvironment.self) }) else { return nil }
        if isEmptyList { return refusing("names nothing: leave it out for production alone") }
        return Set(environments)
    }

    /// The text of a PEM file with one certificate in it: of two it would not be said which is trusted.
    func rootCertificate(_ files: FileRule) -> String? {
        guard let file = certificates(files) else { return nil }
        guard file.text.matches(of: #/-----BEGIN CERTIFICATE-----/#).count == 1 else {
            return refusing("has more than one certificate where one root belongs")
        }
        return file.text
    }
}
