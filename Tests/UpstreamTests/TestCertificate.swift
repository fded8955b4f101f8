import Digests
import FoundationEssentials
import Glibc

/// A certificate and its key, in files of their own that go away with it.
final class TestCertificate {
    let file: String
    let keyFile: String
    private let folder: String

    /// - Parameters:
    ///   - issuer: who signs it; it signs itself where there is none.
    ///   - previous: the certificate whose key it is for; a new key where there is none.
    init(host: String, issuer: TestCertificate? = nil, renewing previous: TestCertificate? = nil) throws {
        var template = Array("/tmp/tokenbroker-tls-XXXXXX\0".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(number: errno) }
        let folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.folder = folder
        file = folder + "/certificate.pem"
        keyFile = folder + "/key.pem"
        if let previous {
            try FileManager.default.copyItem(atPath: previous.keyFile, toPath: keyFile)
        } else {
            try OpenSSLProgram.run([
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", keyFile,
            ])
        }
        let signature = issuer.map { ["-CA", $0.file, "-CAkey", $0.keyFile] } ?? []
        try OpenSSLProgram.run(
            ["req", "-x509", "-new", "-days", "2", "-key", keyFile, "-subj", "/CN=\(host)"]
                + ["-addext", "subjectAltName=DNS:\(host)", "-out", file] + signature
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// SHA-256 of the whole certificate.
    func digest() throws -> [UInt8] {
        SHA256.digest(of: try OpenSSLProgram.run(["x509", "-in", file, "-outform", "DER"]))
    }

    /// SHA-256 of its SubjectPublicKeyInfo.
    func keyDigest() throws -> [UInt8] {
        SHA256.digest(of: try OpenSSLProgram.run(["pkey", "-in", keyFile, "-pubout", "-outform", "DER"]))
    }

    /// A file with the certificates of `others`, one after the other.
    func chainFile(_ others: [TestCertificate]) throws -> String {
        let path = folder + "/chain.pem"
        let text = others.compactMap { FileManager.default.contents(atPath: $0.file) }.reduce(Data(), +)
        guard FileManager.default.createFile(atPath: path, contents: text) else { throw SystemError(number: EIO) }
        return path
    }
}
