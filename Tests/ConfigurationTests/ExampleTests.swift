import FoundationEssentials
import Providers
import Testing
import TokenBroker

@testable import Configuration

/// The example that is installed with the daemon.
enum Example {
    static let text: String = {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let data = FileManager.default.contents(atPath: "/\(folder)/Config/tokenbroker.yaml")
        return String(decoding: data ?? Data(), as: UTF8.self)
    }()
}

@Suite("The example configuration")
struct ExampleTests {
    @Test("is taken as it is, on any Debian host")
    func loads() throws {
        let folder = TemporaryFolder()
        let path = folder.write("tokenbroker.yaml", Example.text)
        let configuration = try ConfigurationLoader(kinds: ProviderRegistry.kinds).load(path: path)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.definition.secrets.count == 8)
        #expect(configuration.definition.providers.count == 7)
        #expect(configuration.definition.tokens.count == 7)
    }

    @Test("states the defaults as they are")
    func statesDefaults() throws {
        let folder = TemporaryFolder()
        let path = folder.write("tokenbroker.yaml", Example.text)
        let configuration = try ConfigurationLoader(kinds: ProviderRegistry.kinds).load(path: path)
        #expect(configuration.listen == ListenSettings())
        #expect(configuration.definition.limits == Limits())
        #expect(configuration.logLevel == Configuration().logLevel)
        #expect(configuration.store?.path == StoreSettings.defaultPath)
        #expect(configuration.definition.providers["autocomplete"]?.timeout == .seconds(10))
        #expect(configuration.definition.providers["autocomplete"]?.baseURL == "https://api.ai-autocomplete.com")
    }
}
