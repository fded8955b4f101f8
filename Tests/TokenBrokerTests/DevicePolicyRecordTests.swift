import Testing

@testable import TokenBroker

@Suite("The device policy in the store")
struct DevicePolicyRecordTests {
    private static let apps = [
        DeviceApp(appID: "TEAMID.com.example.app", environments: [.production, .development]),
        DeviceApp(appID: "TEAMID.com.example.other", environments: [.development]),
    ]

    @Test(
        "is read back as it was written",
        arguments: [
            .lost, .policy(DevicePolicy()), .policy(DevicePolicy(apps: [])),
            .policy(DevicePolicy(modes: ["a": .off, "b": .monitor, "c.d-e_f": .enforce])),
            .policy(DevicePolicy(modes: ["a": .enforce], apps: apps)),
        ] as [DevicePolicyRecord]
    )
    func roundTrip(record: DevicePolicyRecord) {
        #expect(DevicePolicyRecord(record.payload) == record)
    }

    @Test("is written the same each time, one line a word of its")
    func text() {
        let record = DevicePolicyRecord.policy(DevicePolicy(modes: ["b": .off, "a": .enforce], apps: Self.apps))
        let text = record.payload.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == """
                policy
                mode a enforce
                mode b off
                apps
                app TEAMID.com.example.app development production
                app TEAMID.com.example.other development

                """
        )
    }

    @Test(
        "that this version did not write is not read",
        arguments: [
            "", "lost\nmode a off\n", "policy 2\n", "policy\nmode a\n", "policy\nmode a strict\n",
            "policy\nmode A off\n",
            "policy\napp TEAMID.app production\n", "policy\napps\napp com.example production\n", "policy\napps 1\n",
            "policy\napps\napp TEAMID.app staging\n", "policy\nsince 2026\n", "mode a off\n", "{}",
        ]
    )
    func unknown(text: String) {
        #expect(DevicePolicyRecord(Secret(text.utf8)) == nil)
    }
}
