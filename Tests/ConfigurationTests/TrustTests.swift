import Glibc
import Testing
import TokenBroker

@testable import Configuration

@Suite("Certificates that are trusted in addition")
struct TrustTests {
    private let folder = TemporaryFolder()

    private func faults(_ permissions: mode_t) -> [String] {
        let path = folder.write("ca.pem", "-----BEGIN CERTIFICATE-----\n", permissions: permissions)
        let text = """
            secrets: { k: { file: /nowhere/key } }
            providers: { a: { kind: ai-autocomplete, secret: k, tls: { ca_file: \(path) } } }
            """
        do throws(ConfigurationProblems) {
            _ = try load(text)
            return []
        } catch {
            return error.problems.map { $0.message.replacing(folder.path, with: "FOLDER") }
        }
    }

    @Test("are taken from a file that only root or the daemon can change")
    func good() {
        #expect(faults(0o644).isEmpty)
    }

    @Test("are refused from one that others can change, with the command that mends it", arguments: [0o666, 0o664])
    func open(_ permissions: Int) {
        #expect(
            faults(mode_t(permissions)) == [
                "providers.a.tls.ca_file: others than its owner may write to it: chmod go-w FOLDER/ca.pem"
            ]
        )
    }
}
