internal import JSON

/// A policy as lines that can be compared.
struct PolicyLines {
    private let lines: [String]

    init(_ policy: JSONValue) {
        let routes = policy["routes"]?.object?.members ?? []
        let apps = policy["apps"]?.array ?? []
        lines =
            routes.map { "route \($0.name): \($0.value.scalarText ?? "-")" }
            + apps.map { app in
                let environments = app["environments"]?.array?.map { $0.scalarText ?? "-" } ?? ["production"]
                return "app \(app["app_id"]?.scalarText ?? "-"): \(environments.sorted().joined(separator: ", "))"
            }
    }

    /// - Parameter change: names what is looked at: its routes, and the apps where it has any.
    init(_ policy: JSONValue, like change: JSONValue) {
        var part: JSONObject = [:]
        let named = change["routes"]?.object
        var routes: JSONObject = [:]
        for route in policy["routes"]?.object?.members ?? [] where named?[route.name] != nil {
            routes[route.name] = route.value
        }
        part["routes"] = .object(routes)
        if change["apps"] != nil { part["apps"] = policy["apps"] }
        self.init(.object(part))
    }

    /// What only one of the two has, under a line that says which sign is whose.
    func difference(to other: PolicyLines, signs: (mine: String, theirs: String)) -> [String] {
        let mine = lines.filter { !other.lines.contains($0) }.map { "- \($0)" }
        let theirs = other.lines.filter { !lines.contains($0) }.map { "+ \($0)" }
        guard !(mine + theirs).isEmpty else { return ["what is set is the same"] }
        return (["--- \(signs.mine)", "+++ \(signs.theirs)"] + mine + theirs).map(PrintableText.escaped)
    }
}
