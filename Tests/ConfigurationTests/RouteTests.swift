import Configuration
import Testing
import TokenBroker

@Suite("Routes in the configuration")
struct RouteTests {
    private static let head = """
        secrets: { key: { file: /k }, seed: { file: /s }, other: { file: /o } }
        providers:
          shared: { kind: varied, project: abc, secret: key, session: seed }
          users: { kind: varied, project: abc, secret: key, session: other, user: each }
          open: { kind: varied, project: abc, secret: key }
        tokens:
          web: { provider: shared, allow: [{ user: api }] }
          chat: { provider: users, allow: [{ user: api }] }
          key: { provider: open, allow: [{ user: api }] }

        """
    private static let apps = "devices: { apps: [{ app_id: TEAMID.com.example.app }] }\n"

    private func route(_ text: String) throws -> RouteDefinition? {
        try load(Self.head + Self.apps + "routes: { r: { \(text) } }").definition.routes["r"]
    }

    @Test("have the defaults of the contract")
    func defaults() throws {
        let route = try route("token: web, shape: ai-autocomplete")
        #expect(
            route
                == RouteDefinition(
                    name: "r",
                    token: "web",
                    shape: .aiAutocomplete,
                    expiryUnit: .seconds,
                    minimum: .seconds(60),
                    wait: .seconds(5)
                )
        )
        #expect(try self.route("token: web, shape: roadie")?.expiryUnit == .rfc3339)
    }

    @Test("say all that they can")
    func all() throws {
        let route = try route(
            "token: chat, shape: roadie, expires_at_unit: milliseconds, min_ttl: 2m, wait: 1s, "
                + "end_user_from: { header: X-User }, public_path: /api/t, devices: monitor, allow: [{ user: www-data }]"
        )
        #expect(route?.expiryUnit == .milliseconds)
        #expect(route?.minimum == .seconds(120))
        #expect(route?.wait == .seconds(1))
        #expect(route?.userSource == .header("X-User"))
        #expect(route?.publicPath == "/api/t")
        #expect(route?.devices == .monitor)
        #expect(route?.grants == [Grant(user: 33)])
    }

    @Test("take the device that proved itself for the end user, where none is served without")
    func device() throws {
        let route = try route("token: chat, shape: roadie, end_user_from: device, devices: enforce")
        #expect(route?.userSource == .device)
        #expect(route?.devices == .enforce)
    }

    @Test(
        "refuse what cannot be meant",
        arguments: [
            ("token: webb, shape: roadie", "no token 'webb'; did you mean 'web'?"),
            ("token: web, shape: rodie", "did you mean 'roadie'?"),
            ("token: key, shape: roadie", "is a long-lived key, which no app may have"),
            ("token: chat, shape: roadie", "is per user: needs 'end_user_from'"),
            ("token: web, shape: roadie, end_user_from: { header: X-User }", "takes no end user from there"),
            ("token: chat, shape: roadie, end_user_from: {}", "needs one of 'header' and 'query'"),
            ("token: web, shape: oauth2, expires_at_unit: seconds", "says the seconds that are left"),
            ("token: web, shape: roadie, devices: on", "expected one of off, monitor, enforce"),
            ("token: web, shape: roadie, public_path: api/t", "expected a path as a request has it"),
            ("token: web, shape: roadie, public_path: /api/t?x=1", "expected a path as a request has it"),
            ("token: chat, shape: roadie, end_user_from: devise", "expected 'device', or a mapping"),
            ("token: chat, shape: roadie, end_user_from: device, devices: monitor", "needs 'devices: enforce'"),
            ("token: chat, shape: roadie, end_user_from: device", "needs 'devices: enforce'"),
            ("token: web, shape: roadie, end_user_from: device, devices: enforce", "takes no end user from there"),
        ]
    )
    func refuse(_ text: String, _ complaint: String) {
        let lines = complaints(Self.head + Self.apps + "routes: { r: { \(text) } }")
        #expect(lines.count == 1)
        #expect(lines.first?.contains(complaint) == true, "\(lines)")
    }

    @Test("may not be closed to everybody")
    func closed() {
        let route = "routes:\n  r: { token: web, shape: roadie, devices: enforce }\n"
        #expect(complaints(Self.head + Self.apps + route).isEmpty)
        #expect(
            complaints(Self.head + route) == [
                "main.yaml:11:3: routes.r: 'devices: enforce' would let nobody in: name an app under devices.apps"
            ]
        )
    }
}
