import Glibc

/// The text of a configuration.
struct Settings {
    let scratch: Scratch
    /// Where the sockets are, below the scratch directory.
    var apps = "run/apps.sock"
    var admin = "admin/admin.sock"
    /// The tests' own user, with a group that it can give to the admin socket.
    var operators = "[{ user: \(geteuid()), group: \(getegid()) }]"
    var observers = "[]"
    var level = "info"
    var extra: [String] = []
    private var secrets: [String] = []
    private var providers: [String] = []
    private var tokens: [String] = []

    init(_ scratch: Scratch) {
        self.scratch = scratch
    }

    /// With a secret file, a provider and a token of the usual kind.
    init(
        _ scratch: Scratch,
        _ simulator: SimulatorProcess,
        token: String = "web",
        allow: String? = nil,
        options: String = ""
    ) throws {
        self.init(scratch)
        try scratch.write("secret", SimulatorProcess.secretKey + "\n")
        addSecret("key", file: "secret")
        addProvider("autocomplete", simulator.baseURL)
        addToken(token, allow: allow, options: options)
    }

    /// A store in the scratch directory, with a key that the broker makes.
    mutating func addStore() {
        extra.append("store: { path: \(scratch.path("store.sqlite")), key: \"file:\(scratch.path("key"))\" }")
    }

    mutating func addSecret(_ name: String, file: String) {
        secrets.append("\(name): { file: \(scratch.path(file)) }")
    }

    /// A secret that an operator gives; needs a store.
    mutating func addManagedSecret(_ name: String) {
        secrets.append("\(name): { managed: true }")
    }

    mutating func addProvider(_ name: String, _ baseURL: String, secret: String = "key", options: String = "") {
        let rest = options.isEmpty ? "" : ", \(options)"
        providers.append("\(name): { kind: ai-autocomplete, base_url: \(baseURL), secret: \(secret)\(rest) }")
    }

    /// - Parameters:
    ///   - allow: Nil: the tests' own user.
    ///   - options: As in `refresh: on-demand`.
    mutating func addToken(
        _ name: String,
        provider: String = "autocomplete",
        allow: String? = nil,
        options: String = ""
    ) {
        let rest = options.isEmpty ? "" : ", \(options)"
        let allow = allow ?? "{ user: \(geteuid()) }"
        let product = SimulatorProcess.product
        tokens.append("\(name): { provider: \(provider), product_id: \(product), allow: [\(allow)]\(rest) }")
    }

    /// A secret, a provider and a token, each as the line that is to stand in its section.
    mutating func addAccount(secret: String, provider: String, token: String) {
        secrets.append(secret)
        providers.append(provider)
        tokens.append(token)
    }

    var text: String {
        var lines = [
            "listen: { apps: \(scratch.path(apps)), admin: \(scratch.path(admin)) }",
            "operators: \(operators)", "observers: \(observers)", "log: { level: \(level) }",
        ]
        lines += extra
        for (section, blocks) in [("secrets", secrets), ("providers", providers), ("tokens", tokens)]
        where !blocks.isEmpty {
            lines.append("\(section):")
            lines += blocks.map { "  \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
