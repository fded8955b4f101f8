internal import COpenSSL
internal import Glibc

/// A certificate authority made for one run, and the certificate it signed for 127.0.0.1 and localhost.
///
/// The keys are on P-256 and never leave the process.
struct CertificateAuthority {
    /// The authority's certificate, for a client to trust.
    let pem: String
    let serverCertificate: Certificate
    let serverKey: PrivateKey

    /// DER of the extensions' values; the encodings are short enough to be written out, and a reader can check them
    /// against RFC 5280 section 4.2.1.
    private enum Extension {
        /// `cA TRUE`.
        static let authority: [UInt8] = [0x30, 0x03, 0x01, 0x01, 0xFF]
        static let notAuthority: [UInt8] = [0x30, 0x00]
        /// keyCertSign and cRLSign; digitalSignature.
        static let signsCertificates: [UInt8] = [0x03, 0x02, 0x01, 0x06]
        static let signsHandshakes: [UInt8] = [0x03, 0x02, 0x07, 0x80]
        /// id-kp-serverAuth.
        static let serverAuthentication: [UInt8] = [0x30, 0x0A, 0x06, 0x08, 0x2B, 6, 1, 5, 5, 7, 3, 1]
        /// dNSName localhost, iPAddress 127.0.0.1.
        static let names: [UInt8] = [0x30, 17, 0x82, 9] + "localhost".utf8 + [0x87, 4, 127, 0, 0, 1]
    }

    init() throws(SimulatorError) {
        let authorityKey = try PrivateKey()
        let authority = try Certificate(named: "tokenbroker-simulator CA", for: authorityKey)
        try authority.add(NID_basic_constraints, Extension.authority, isCritical: true)
        try authority.add(NID_key_usage, Extension.signsCertificates, isCritical: true)
        try authority.addKeyIdentifiers(issuer: authority)
        try authority.sign(issuer: authority, authorityKey)

        let key = try PrivateKey()
        let server = try Certificate(named: "localhost", for: key)
        try server.add(NID_basic_constraints, Extension.notAuthority, isCritical: true)
        try server.add(NID_key_usage, Extension.signsHandshakes, isCritical: true)
        try server.add(NID_ext_key_usage, Extension.serverAuthentication)
        try server.add(NID_subject_alt_name, Extension.names)
        try server.addKeyIdentifiers(issuer: authority)
        try server.sign(issuer: authority, authorityKey)

        pem = try authority.pem()
        serverCertificate = server
        serverKey = key
    }
}
