internal import JSON

/// The device policy for people.
struct PolicyReport {
    private let policy: JSONValue

    init(_ policy: JSONValue) {
        self.policy = policy
    }

    var report: Report {
        .text([PrintableText.escaped(origin), ""] + routes + [""] + apps)
    }

    private var origin: String {
        switch policy["source"]?.string {
        case "file": "nothing is set: the configuration file decides"
        case "stored": "set at revision \(policy["revision"]?.scalarText ?? "-")"
        default: "not known what was set, gates enforce: \(policy["problem"]?.scalarText ?? "-")"
        }
    }

    private var routes: [String] {
        let routes = policy["effective"]?.object?.members ?? []
        guard !routes.isEmpty else { return ["no routes are configured"] }
        var table = TextTable(["ROUTE", "MODE", "FILE", "SET", "VERIFIED", "MISSING", "FAILED"])
        for route in routes {
            let seen = policy["observed"]?[route.name]
            table.append(
                [
                    .init(route.name),
                    .init(route.value["mode"]),
                    .init(route.value["file"]),
                    .init(route.value["stored"]),
                    .init(seen?["verified"]),
                    .init(seen?["missing"]),
                    .init(seen?["failed"]),
                ],
                notes: warnings(route.value) + (route.value["mode"] == "monitor" ? forecast(seen) : [])
            )
        }
        return table.lines(usesColour: false)
    }

    /// Without the key the file does not say that the route has a gate, so that nobody knows it where the store is lost.
    private func warnings(_ route: JSONValue) -> [String] {
        guard route["stored"] == "enforce", route["file"]?.string == nil else { return [] }
        return ["open while what was set cannot be read: give the route 'devices: off' in the file, or stricter"]
    }

    /// What `enforce` would have done, for who is about to switch to it.
    private func forecast(_ seen: JSONValue?) -> [String] {
        let counts = ["verified", "missing", "failed"].map { seen?[$0]?.number?.int64 ?? 0 }
        let all = counts.reduce(0, &+)
        return ["enforce would have turned away \(all &- counts[0]) of \(all) requests"]
    }

    private var apps: [String] {
        let apps = policy["apps"]?.array ?? []
        guard !apps.isEmpty else { return ["no app's devices are accepted"] }
        var table = TextTable(["APP", "ENVIRONMENTS"])
        for app in apps {
            let environments = app["environments"]?.array?.map { $0.scalarText ?? "-" } ?? []
            table.append([.init(app["app_id"]), .init(environments.joined(separator: ", "))])
        }
        return table.lines(usesColour: false)
    }
}
