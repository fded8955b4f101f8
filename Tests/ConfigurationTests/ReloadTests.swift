import Testing
import TokenBroker

@testable import Configuration

@Suite("Reload")
struct ReloadTests {
    private let key = StoreSettings.KeySource.credential(name: "k")

    @Test("names the keys that only a restart changes")
    func namesKeys() {
        let old = Configuration(listen: ListenSettings(apps: "/a", admin: "/b"), store: StoreSettings(key: key))
        let new = Configuration(
            listen: ListenSettings(apps: "/a", admin: "/c"),
            store: StoreSettings(path: "/p", key: .file(path: "/k"), previousKey: key)
        )
        #expect(
            Configuration.changesRefusedOnReload(from: old, to: new)
                == ["listen.admin", "store.path", "store.key", "store.previous_key"]
        )
        let without = Configuration(listen: ListenSettings(apps: "/x", admin: "/b"))
        #expect(
            Configuration.changesRefusedOnReload(from: old, to: without) == ["listen.apps", "store.path", "store.key"]
        )
    }

    @Test("takes every other change")
    func takesOtherChanges() {
        let old = Configuration(logLevel: .info)
        let new = Configuration(
            operators: [AdminPrincipal(user: 0)],
            logLevel: .debug,
            runAs: "root",
            definition: BrokerDefinition(secrets: ["s": SecretDefinition(name: "s", source: .file(path: "/s"))])
        )
        #expect(Configuration.changesRefusedOnReload(from: old, to: new).isEmpty)
    }
}
