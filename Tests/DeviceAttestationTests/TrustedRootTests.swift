import Digests
import Testing

@testable import DeviceAttestation

@Suite("The trusted root")
struct TrustedRootTests {
    private static let apple = TrustedRoot.apple

    private func pem(_ der: [UInt8]) -> String {
        "-----BEGIN CERTIFICATE-----\n\(Base64.text(der))\n-----END CERTIFICATE-----\n"
    }

    @Test("is Apple's, by its fingerprint")
    func fingerprint() {
        #expect(
            Hexadecimal.text(SHA256.digest(of: Self.apple.der))
                == "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932"
        )
    }

    @Test("is read from a file's text with one certificate in it, and no other")
    func replacement() {
        let root = AttestationRecipe.root(signedBy: AttestationRecipe.rootKey)
        let text = pem(root)
        #expect(TrustedRoot(pem: "A comment\n" + text)?.der == root)
        for other in ["", "root", text + text, pem(Array(root.dropLast())), text.replacing("CERTIFICATE", with: "KEY")]
        {
            #expect(TrustedRoot(pem: other) == nil)
        }
    }
}
