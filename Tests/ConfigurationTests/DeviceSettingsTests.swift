import Configuration
import Testing
import TokenBroker

@Suite("Devices in the configuration")
struct DeviceSettingsTests {
    private let folder = TemporaryFolder()
    private let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"

    @Test("are nobody's where nothing is said")
    func none() throws {
        #expect(try load("").definition.devices == DeviceSettings())
        #expect(try load("devices: {}").definition.devices == DeviceSettings())
    }

    @Test("are those of apps, with production alone where no environment is named")
    func apps() throws {
        let devices = try load(
            """
            devices:
              apps:
                - { app_id: TEAMID.com.example.app }
                - { app_id: TEAM42.com.example-2.App, environments: [production, development] }
            """
        ).definition.devices
        #expect(
            devices.apps == [
                DeviceApp(appID: "TEAMID.com.example.app", environments: [.production]),
                DeviceApp(appID: "TEAM42.com.example-2.App", environments: [.production, .development]),
            ]
        )
    }

    @Test("are gathered from the drop-ins too, each app once")
    func dropIns() throws {
        let first = "devices: { apps: [{ app_id: A.b }] }"
        let both = try load(first, dropIns: ["a.yaml": "devices: { apps: [{ app_id: A.c }] }"])
        #expect(both.definition.devices.apps.map(\.appID) == ["A.b", "A.c"])
        #expect(
            complaints(first, dropIns: ["a.yaml": first]) == [
                "conf.d/a.yaml:1:19: devices.apps[0]: this app is already at main.yaml:1:19"
            ]
        )
    }

    @Test("are checked against a root of their own, whose text is taken at the load")
    func root() throws {
        let path = folder.write("root.pem", certificate)
        #expect(try load("devices: { root_ca_file: \(path) }").definition.devices.rootCertificate == certificate)
        let line = "devices: { root_ca_file: \(path) }"
        #expect(
            complaints(line, dropIns: ["a.yaml": line]) == [
                "conf.d/a.yaml:1:12: devices.root_ca_file: already set at main.yaml:1:12"
            ]
        )
    }

    @Test("are checked against one root")
    func twoRoots() {
        for (text, complaint) in [
            (certificate + certificate, "has more than one certificate where one root belongs"),
            ("nothing", "is not a PEM file of certificates"),
        ] {
            let path = folder.write("root.pem", text)
            #expect(
                complaints("devices: { root_ca_file: \(path) }") == [
                    "main.yaml:1:26: devices.root_ca_file: \(complaint)"
                ]
            )
        }
    }

    @Test(
        "refuse what cannot be meant",
        arguments: [
            ("app_id: com.example.app", "expected an app id such as TEAMID.com.example.app"),
            ("app_id: TEAMID", "expected an app id"), ("app_id: TEAMID.", "expected an app id"),
            ("app_id: .com", "expected an app id"), ("app_id: TEAMID.com..app", "expected an app id"),
            ("app_id: TEAMID.com_example", "expected an app id"), ("environments: [production]", "needs 'app_id'"),
            ("app_id: A.b, environments: []", "names nothing: leave it out for production alone"),
            ("app_id: A.b, environments: [prod]", "expected one of production, development"),
            ("app_id: A.b, enviroments: [production]", "did you mean 'environments'?"),
        ]
    )
    func refuse(_ text: String, _ complaint: String) {
        let lines = complaints("devices: { apps: [{ \(text) }] }")
        #expect(lines.count == 1)
        #expect(lines.first?.contains(complaint) == true, "\(lines)")
    }

    @Test("have their addresses told by proxies that are trusted")
    func clientAddress() throws {
        let devices = try load(
            "devices: { client_address_header: X-Forwarded-For, trusted_proxies: [{ user: www-data }] }"
        ).definition.devices
        #expect(
            devices.clientAddress
                == ClientAddressSource(header: "X-Forwarded-For", trustedProxies: [AdminPrincipal(user: 33)])
        )
    }

    @Test(
        "refuse an address that is believed from nobody, or that nobody says",
        arguments: [
            ("client_address_header: X-Real-IP", "needs 'trusted_proxies' beside it"),
            ("trusted_proxies: [{ user: www-data }]", "needs 'client_address_header' beside it"),
            (
                "client_address_header: Authorization, trusted_proxies: [{ user: www-data }]",
                "is not a header for the client's address"
            ),
            ("client_address_header: X-Real-IP, trusted_proxies: [{}]", "without a condition"),
        ]
    )
    func refuseAddress(_ text: String, _ complaint: String) {
        let lines = complaints("devices: { \(text) }")
        #expect(lines.count == 1)
        #expect(lines.first?.contains(complaint) == true, "\(lines)")
    }
}
