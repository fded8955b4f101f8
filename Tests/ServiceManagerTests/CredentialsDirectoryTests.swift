import ServiceManager
import Testing

@Suite("Credentials directory")
struct CredentialsDirectoryTests {
    @Test("is the one systemd names")
    func path() {
        let directory = CredentialsDirectory(environment: ["CREDENTIALS_DIRECTORY": "/run/credentials/x.service"])
        #expect(directory?.path == "/run/credentials/x.service")
    }

    @Test("is absent without the variable or with a relative path", arguments: [[:], ["CREDENTIALS_DIRECTORY": "x"]])
    func absent(_ environment: [String: String]) {
        #expect(CredentialsDirectory(environment: environment) == nil)
    }
}
