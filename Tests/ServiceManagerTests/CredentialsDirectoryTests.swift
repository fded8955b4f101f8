import ServiceManager
import Testing

@Suite("Credentials directory")
struct CredentialsDirectoryTests {
    @Test("is the one systemd names")
    func path() {
        let directory = CredentialsDirectory(environment: ["CREDENTIALS_DIRECTORY": "/run/credentials/x.service"])
        #expect(directory?.path == "/run/credentials/x.service")
        #expect(directory?.file(named: "store-key") == "/run/credentials/x.service/store-key")
    }

    @Test("is absent without the variable or with a relative path", arguments: [[:], ["CREDENTIALS_DIRECTORY": "x"]])
    func absent(_ environment: [String: String]) {
        #expect(CredentialsDirectory(environment: environment) == nil)
    }

    @Test("refuses a name that leads elsewhere", arguments: ["", ".", "..", "../x", "a/b", "a\0b"])
    func names(_ name: String) {
        let directory = CredentialsDirectory(environment: ["CREDENTIALS_DIRECTORY": "/run/credentials"])
        #expect(directory?.file(named: name) == nil)
    }
}
