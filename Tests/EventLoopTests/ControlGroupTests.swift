import Testing

@testable import EventLoop

@Suite("Control group")
struct ControlGroupTests {
    @Test(
        "names the system's service or scope",
        arguments: [
            ("0::/system.slice/api.service", "api.service"),
            ("0::/system.slice/api.service/worker", "api.service"),
            ("0::/system.slice/other.service/api.service", "other.service"),
            ("0::/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"),
            ("0::/apps.slice/api.service", "api.service"),
            ("0::/system.slice/system-worker.slice/worker@1.service", "worker@1.service"),
            (#"0::/system.slice/worker@a\x2db.service"#, #"worker@a\x2db.service"#),
            ("0::/machine.slice/web.scope/payload/system.slice/api.service", "web.scope"),
            ("0::/system.slice/docker-0123.scope/system.slice/api.service", "docker-0123.scope"),
            ("0::/init.scope", "init.scope"),
            ("0::/system.slice/_memory.service", "memory.service"),
            ("12:pids:/x\n1:name=systemd:/system.slice/api.service\n0::/", "api.service"),
            ("0::/\n1:name=systemd:/system.slice/api.service", "api.service"),
            ("1:name=systemd:/\n0::/system.slice/api.service", "api.service"),
            ("1:name=systemd:/system.slice/api.service\n0::/system.slice/api.service/worker", "api.service"),
        ]
    )
    func service(text: String, unit: String) {
        #expect(ControlGroup.systemUnit(in: text + "\n") == unit)
    }

    @Test(
        "a group that a service, a user or a container named like a unit is not one",
        arguments: [
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/api.service",
            "0::/user.slice/api.service",
            "0::/user.slice/user-1000.slice/session-1.scope/api.service",
            "0::/user.slice/user-1000.slice/session-1.scope",
            "0::/system.slice/user@1000.service/app.slice/api.service",
            "0::/docker/0123/system.slice/api.service", "0::/system.slice/api.socket", "0::/system.slice/.scope",
            "0::/", "0::", "0::/system.slice", "0::/.service", "0::/system.slice/.service",
            "0::/../api.service", "0::/system.slice/api.service (deleted)",
            "1:name=system:/system.slice/api.service", "3:cpu:/system.slice/api.service", "api.service", "",
            "1:name=systemd:/user.slice/user-1000.slice\n0::/system.slice/api.service",
            "1:name=systemd:/system.slice/api.service\n0::/user.slice/user-1000.slice/session-1.scope",
            "1:name=systemd:/system.slice/api.service\n0::/system.slice/other.service",
            "1:name=systemd:/system.slice/api.service\n0::/docker/0123",
        ]
    )
    func notAService(text: String) {
        #expect(ControlGroup.systemUnit(in: text) == nil)
    }
}
