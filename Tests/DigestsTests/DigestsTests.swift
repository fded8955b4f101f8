import Digests
import Testing

@Suite("Digests")
struct DigestsTests {
    @Test(
        "hashes as FIPS 180-4 says",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ]
    )
    func hashes(text: String, digest: String) {
        #expect(Hexadecimal.text(SHA256.digest(of: Array(text.utf8))) == digest)
    }

    @Test("keys a hash as RFC 4231 says")
    func keysAHash() {
        let code = HMACSHA256.code(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Hexadecimal.text(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test(
        "writes Base64 as RFC 4648 says",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
    )
    func writesBase64(text: String, encoded: String) {
        #expect(Base64.text(Array(text.utf8)) == encoded)
    }

    @Test(
        "reads Base64 as RFC 4648 says",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
    )
    func readsBase64(text: String, encoded: String) {
        #expect(Base64.bytes(encoded) == Array(text.utf8))
        #expect(Base64.bytes("+/8=") == [0xFB, 0xFF])
    }

    @Test(
        "refuses Base64 that no bytes are written as",
        arguments: ["Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "-_8=", "Zm8=Zm8=", "Zm8 ", "Zm8=\n"]
    )
    func refusesBase64(encoded: String) {
        #expect(Base64.bytes(encoded) == nil)
    }

    @Test("reads what the URL-safe alphabet writes")
    func readsURLSafe() {
        #expect(Base64.urlSafeBytes("-_8") == [0xFB, 0xFF])
        #expect(Base64.urlSafeBytes("") == [])
    }

    @Test(
        "refuses what no bytes are written as",
        arguments: ["A", "Zh", "+/8", "Zg==", "Z g"]
    )
    func refuses(text: String) {
        #expect(Base64.urlSafeBytes(text) == nil)
    }

    @Test(
        "reads either alphabet, with padding or without, where it is asked to",
        arguments: ["+/8=", "+/8", "-_8=", "-_8"]
    )
    func readsLeniently(text: String) {
        #expect(Base64.lenientBytes(text) == [0xFB, 0xFF])
    }

    @Test(
        "refuses even then what no bytes are written as",
        arguments: ["+_8=", "-_8==", "Zg=", "Zg===", "=", "====", "Z", "Zh", "Zg ", "Zm8=Zm8="]
    )
    func refusesLeniently(text: String) {
        #expect(Base64.lenientBytes(text) == nil)
    }

    @Test("reads hexadecimal of either case, and nothing else")
    func readsHexadecimal() {
        #expect(Hexadecimal.bytes("00ffAb") == [0, 255, 0xAB])
        #expect(Hexadecimal.bytes("abc") == nil)
        #expect(Hexadecimal.bytes("0g") == nil)
    }
}
