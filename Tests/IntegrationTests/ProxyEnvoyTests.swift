import TestSupport
import Testing

@Suite("Envoy", .blocking, .with(.envoy))
struct ProxyEnvoyTests {
    @Test("takes the file that is shipped for it")
    func validates() throws {
        let file = ShippedFiles.path("envoy/tokenbroker.yaml")
        _ = try Installed.envoy.run(["--mode", "validate", "--config-path", file, "--log-level", "error"])
    }
}
