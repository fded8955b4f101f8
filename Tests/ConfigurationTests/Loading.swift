import Configuration
import TokenBroker

/// The kinds of providers that the tests know.
let kinds = [
    ProviderKind(
        name: "ai-autocomplete",
        address: .publicService("https://api.ai-autocomplete.com"),
        tokenOptions: [OptionDeclaration("product_id", .uuid, isRequired: true)],
        secretPrefix: "sk_v1_",
        wrongSecretPrefixes: ["pk_v1_"]
    ),
    ProviderKind(
        name: "chatty",
        address: .key("base_url"),
        providerOptions: [
            OptionDeclaration("bundle_id", .text, isRequired: true),
            OptionDeclaration("timestamp", .choice(["seconds", "milliseconds"])),
            OptionDeclaration("key_text", .choice(["as-is", "without-prefix"])),
        ],
        secretPrefix: "chat-"
    ),
    ProviderKind(
        name: "varied",
        address: .derived(fromOption: "project") { "https://\($0).example" },
        providerOptions: [
            OptionDeclaration("project", .headerValue, isRequired: true),
            OptionDeclaration("session", .singleUseSecret),
            OptionDeclaration("user", .choice(["none", "each"])),
            .management,
        ],
        tokenOptions: [
            OptionDeclaration("scopes", .words),
            OptionDeclaration("ttl", .duration(.seconds(1) ... .seconds(3600))),
            OptionDeclaration("from", .headerName),
        ],
        quotaCodes: ["spent"],
        credential: { provider, _ in
            CredentialForm(isSecret: provider["session"] == nil, user: provider["user"] == "each" ? .endUser : .none)
        },
        pace: { _ in MintPace(limit: 5, newcomers: 3, window: .seconds(60)) },
        fault: { $0["project"] == "forbidden" ? "needs another 'project'" : nil },
        tokenFault: { $0["user"] == "none" && $1["from"] != nil ? "from: goes with user: each only" : nil }
    ),
]

/// A host with three users and three groups.
struct FakeAccounts: Accounts {
    func userID(named name: String) -> UInt32? { ["root": 0, "www-data": 33, "api": 1001][name] }
    func groupID(named name: String) -> UInt32? { ["root": 0, "www-data": 33, "apps": 2001][name] }
}

let loader = ConfigurationLoader(kinds: kinds, accounts: FakeAccounts())

/// Loads `main`, and `dropIns` beside it by name.
func load(_ main: String, dropIns: [String: String] = [:]) throws(ConfigurationProblems) -> Configuration {
    let folder = TemporaryFolder()
    let path = folder.write("main.yaml", main)
    if !dropIns.isEmpty { folder.makeFolder("conf.d") }
    for (name, text) in dropIns {
        folder.write("conf.d/\(name)", text)
    }
    return try loader.load(path: path)
}

/// What is wrong with `main` and `dropIns`, as printed, with the names of the files alone.
func complaints(_ main: String, dropIns: [String: String] = [:]) -> [String] {
    do {
        _ = try load(main, dropIns: dropIns)
        return []
    } catch {
        return error.description.split(separator: "\n").map(withoutFolders)
    }
}

/// Cuts the temporary folder out of every path in `line`.
func withoutFolders(_ line: Substring) -> String {
    String(line.replacing(#//tmp/configuration-tests\.[A-Za-z0-9]{6}//#, with: ""))
}
