import Glibc

/// The `openssl` program as a TLS server; it answers every GET with a page about the connection.
final class TLSServer {
    let port: UInt16
    let certificate: TestCertificate
    private let process: pid_t

    /// Starts with a certificate that signed itself.
    convenience init(host: String) throws {
        try self.init(TestCertificate(host: host))
    }

    /// - Parameter others: certificates that are presented beside the server's own.
    init(_ certificate: TestCertificate, presenting others: [TestCertificate] = []) throws {
        self.certificate = certificate
        let chain = others.isEmpty ? [] : ["-cert_chain", try certificate.chainFile(others)]
        let (process, output) = try OpenSSLProgram.start(
            ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", certificate.file, "-key", certificate.keyFile]
                + chain
        )
        self.process = process
        port = try Self.readPort(output)
    }

    func stop() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Reads up to the line `ACCEPT 127.0.0.1:PORT`, by which the server is listening.
    private static func readPort(_ output: Int32) throws -> UInt16 {
        defer { close(output) }
        var text = ""
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            guard byte == UInt8(ascii: "\n") else { continue }
            if let start = text.firstRange(of: "ACCEPT 127.0.0.1:"),
                let port = UInt16(text[start.upperBound...].prefix { $0.isNumber })
            {
                return port
            }
        }
        throw SystemError(number: EPIPE)
    }
}
