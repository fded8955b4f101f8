import Testing
import TokenBroker

@testable import Configuration

@Suite("Pins of certificates")
struct PinTests {
    /// SHA-256 values of nothing and of `a`.
    private static let first = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let second = "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="

    private func text(_ tls: String) -> String {
        """
        secrets: { k: { file: /nowhere/key } }
        providers: { a: { kind: ai-autocomplete, secret: k, tls: { \(tls) } } }
        """
    }

    private func pins(_ tls: String) throws -> CertificatePins? {
        try #require(try load(text(tls)).definition.providers["a"]).trust.pins
    }

    @Test("are of certificates, or of keys where the block says so")
    func forms() throws {
        let pins = try #require(try pins("pins: ['\(Self.first)', '\(Self.second)']"))
        #expect(pins.form == .certificate)
        #expect(pins.digests.count == 2)
        #expect(pins.digests.contains { $0.starts(with: [0xE3, 0xB0, 0xC4, 0x42]) })
        #expect(pins.digests.contains { $0.starts(with: [0xCA, 0x97, 0x81, 0x12]) })
        #expect(try self.pins("pins: ['\(Self.first)'], pin_of: certificate")?.form == .certificate)
        #expect(try self.pins("pins: ['\(Self.first)'], pin_of: public-key")?.form == .publicKey)
    }

    @Test("are off without a list and with an empty one")
    func off() throws {
        #expect(try pins("") == nil)
        #expect(try pins("pins: []") == nil)
        #expect(try pins("pins: [], pin_of: public-key") == nil)
    }

    @Test(
        "are refused unless each is a whole SHA-256 in base64",
        arguments: [
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF==", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=", "AAAA",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ]
    )
    func malformed(_ pin: String) {
        #expect(
            complaints(text("pins: ['\(Self.first)', '\(pin)']")) == [
                "main.yaml:2:115: providers.a.tls.pins[1]: expected a pin: a SHA-256 in base64, 44 characters"
            ]
        )
    }

    @Test("have to be there where the block says what they are of")
    func strayForm() {
        #expect(complaints(text("pin_of: public-key")).count == 1)
        #expect(complaints(text("pin_of: public-key"))[0].contains("providers.a.tls.pin_of: says what pins are of"))
        #expect(complaints(text("pins: ['\(Self.first)'], pin_of: keys"))[0].contains("expected one of certificate"))
    }
}
